import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, type ZlibOptions } from 'node:zlib'
import { hourStart } from '@pairwire/contract'

/** Level 6 would save 7 % of the bytes and take half as much time again. */
const LEVEL = 1

const BOUNDS = {
  /** Bytes of lines that are deflated independently, so that a reader can start at them. */
  pieceBytes: 1024 * 1024,
  /** Bytes of lines beyond which sizes take 64 bits; a little below the 32-bit limit, since deflating may add some. */
  largeBytes: 4e9,
}

const LINE_END = 10
const DEFLATED = 8
/** Sizes follow the data, and the name is UTF-8. */
const FLAGS = 0x0808
/** Marks a number whose 64 bits are elsewhere. */
const ELSEWHERE = 0xffffffff
/** Made on Unix: the owner may write the file and everyone may read it. */
const [MADE_BY, ATTRIBUTES] = [0x033f, 0o100644 * 0x10000]

/**
 * Writes the zip of an hour: one entry with the lines of a file. The same lines give the same bytes at any time and on any
 * machine.
 *
 * @returns its sha256 in hex
 */
export async function writeZip(lines: string, zip: string, hour: string, bounds = BOUNDS): Promise<string> {
  const file = await open(lines, 'r')
  const hash = createHash('sha256')
  try {
    await pipeline(
      zipOf(file, hour, bounds),
      async function* (parts: AsyncIterable<Buffer>) {
        for await (const part of parts) {
          hash.update(part)
          yield part
        }
      },
      createWriteStream(zip, { flags: 'wx' }),
    )
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}

/** @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT sections 4.3.6 to 4.3.16 */
async function* zipOf(file: FileHandle, hour: string, bounds: typeof BOUNDS): AsyncGenerator<Buffer> {
  const { size } = await file.stat()
  const isLarge = size > bounds.largeBytes
  const [version, width] = isLarge ? ([45, 8] as const) : ([20, 4] as const)
  const name = Buffer.from(`${hour}.ndjson`)
  const head = numbers([2, version], [2, FLAGS], [2, DEFLATED], ...dosTime(hour))
  yield Buffer.concat([
    numbers([4, 0x04034b50]),
    head,
    Buffer.alloc(12),
    numbers([2, name.length], [2, 0]),
    name,
  ])

  let [sum, packed] = [0, 0]
  for await (const piece of piecesOf(file, size, bounds.pieceBytes)) {
    const part = await deflate(piece, { level: LEVEL, finishFlush: constants.Z_FULL_FLUSH })
    sum = crc32(piece, sum)
    packed += part.length
    yield part
  }
  const last = await deflate(Buffer.alloc(0), {})
  packed += last.length
  yield last
  yield numbers([4, 0x08074b50], [4, sum], [width, packed], [width, size])

  const directoryAt = 30 + name.length + packed + 8 + 2 * width
  const extra = isLarge ? numbers([2, 1], [2, 16], [8, size], [8, packed]) : Buffer.alloc(0)
  const sizes = isLarge ? [ELSEWHERE, ELSEWHERE] : [packed, size]
  const lengths = numbers(
    [2, name.length],
    [2, extra.length],
    [2, 0],
    [2, 0],
    [2, 0],
    [4, ATTRIBUTES],
    [4, 0],
  )
  const proof = numbers([4, sum], [4, sizes[0]!], [4, sizes[1]!])
  const directory = Buffer.concat([numbers([4, 0x02014b50], [2, MADE_BY]), head, proof, lengths, name, extra])
  yield directory
  if (isLarge) {
    const end = numbers([8, 1], [8, 1], [8, directory.length], [8, directoryAt])
    const begin = numbers([4, 0x06064b50], [8, 44], [2, MADE_BY], [2, version], [4, 0], [4, 0])
    yield Buffer.concat([begin, end])
    yield numbers([4, 0x07064b50], [4, 0], [8, directoryAt + directory.length], [4, 1])
  }
  const at = isLarge ? ELSEWHERE : directoryAt
  yield numbers([4, 0x06054b50], [2, 0], [2, 0], [2, 1], [2, 1], [4, directory.length], [4, at], [2, 0])
}

const deflate = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw)

/** Whole lines, as many as fit a piece. @throws Error if a line has no end or is longer than a piece */
async function* piecesOf(file: FileHandle, size: number, bytes: number): AsyncGenerator<Buffer> {
  const piece = Buffer.alloc(Math.min(bytes, size))
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(piece, 0, piece.length, at)
    const end = bytesRead === 0 ? 0 : piece.lastIndexOf(LINE_END, bytesRead - 1) + 1
    if (end === 0) throw new Error('A line of the zip has no end.')
    yield piece.subarray(0, end)
    at += end
  }
}

/** The start of the hour in UTC: a zip has no time zones. */
function dosTime(hour: string): [[2, number], [2, number]] {
  const at = new Date(hourStart(hour)!)
  const day = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  return [
    [2, at.getUTCHours() << 11],
    [2, day],
  ]
}

/** Numbers of `size` bytes each, little-endian. */
function numbers(...fields: readonly (readonly [width: 2 | 4 | 8, value: number])[]): Buffer {
  const parts = fields.map(([width, value]) => {
    const part = Buffer.alloc(8)
    part.writeBigUInt64LE(BigInt(value))
    return part.subarray(0, width)
  })
  return Buffer.concat(parts)
}
