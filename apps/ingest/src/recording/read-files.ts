import type { Dirent } from 'node:fs'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { messageOf } from '@pairwire/basics'

/**
 * One JSON value of a recording, or why it could not be read. `place` names the file, and the line in files with one
 * value per line.
 */
type FileRecord =
  | Readonly<{ place: string; record: unknown }>
  | Readonly<{ place: string; refusal: string; isUnreadable: boolean }>

/** Bytes of the largest value read: a block of the chain is a few megabytes. */
const MAX_VALUE_BYTES = 256 * 1024 * 1024

/** File names to read in a folder. */
const READABLE = /\.(json|ndjson|jsonl)(\.gz)?$|\.gz$/i

/**
 * Reads the JSON values of a file, or of all files in a folder and its subfolders in the order of their names. Files
 * ending in `.ndjson` or `.jsonl` have one per line; all others one, or else one per line. `.gz` is unpacked.
 */
export async function* readFiles(path: string): AsyncIterable<FileRecord> {
  let files: readonly string[]
  try {
    files = await listFiles(path)
  } catch (error) {
    yield unreadable(path, error)
    return
  }
  for (const file of files) {
    try {
      yield* readFile(file)
    } catch (error) {
      yield unreadable(file, error)
    }
  }
}

async function listFiles(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path]

  const files: string[] = []
  const entries: Dirent[] = await readdir(path, { withFileTypes: true })
  // By code unit, so that the order is the same in every locale.
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = join(path, entry.name)
    if (entry.isDirectory()) files.push(...(await listFiles(inside)))
    else if (READABLE.test(entry.name)) files.push(inside)
  }
  return files
}

async function* readFile(file: string): AsyncIterable<FileRecord> {
  const plainName = file.replace(/\.gz$/i, '')
  if (/\.(ndjson|jsonl)$/i.test(plainName)) {
    yield* readLines(file)
    return
  }

  const text = await readWhole(file)
  if (text === undefined) {
    // Too large for one value, so it can only have one value per line.
    yield* readLines(file)
    return
  }
  const record = parse(text)
  if (record !== undefined) yield { place: file, record }
  else if (parse(text.slice(0, text.indexOf('\n') + 1)) !== undefined) yield* readLines(file)
  else yield { place: file, refusal: 'is not JSON', isUnreadable: false }
}

async function* readLines(file: string): AsyncIterable<FileRecord> {
  let number = 0
  for await (const line of splitLines(openFile(file))) {
    number++
    const place = `${file}:${number}`
    if (line === undefined) {
      yield { place, refusal: `is longer than ${MAX_VALUE_BYTES} bytes`, isUnreadable: false }
    } else if (line.trim() !== '') {
      const record = parse(line)
      if (record === undefined) yield { place, refusal: 'is not JSON', isUnreadable: false }
      else yield { place, record }
    }
  }
}

/** Reads the file's text; undefined when it is larger than a value may be. */
async function readWhole(file: string): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of openFile(file)) {
    bytes += chunk.length
    if (bytes > MAX_VALUE_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Yields lines of UTF-8; undefined for one that is too long, whose bytes are dropped as they come. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncIterable<string | undefined> {
  let pending: Buffer[] = []
  let bytes = 0
  const take = () => {
    const line = bytes > MAX_VALUE_BYTES ? undefined : Buffer.concat(pending).toString('utf8')
    pending = []
    bytes = 0
    return line
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      pending.push(chunk.subarray(start, end))
      bytes += end - start
      start = end + 1
      yield take()
    }
    bytes += chunk.length - start
    if (bytes > MAX_VALUE_BYTES) pending = []
    else pending.push(chunk.subarray(start))
  }
  if (bytes > 0) yield take()
}

async function* openFile(file: string): AsyncIterable<Buffer> {
  const stream = createReadStream(file)
  if (!/\.gz$/i.test(file)) {
    yield* stream
    return
  }
  const unpacked = createGunzip()
  stream.on('error', (error) => unpacked.destroy(error))
  try {
    yield* stream.pipe(unpacked)
  } finally {
    stream.destroy()
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unreadable(place: string, error: unknown): FileRecord {
  const reason = messageOf(error)
  return { place, refusal: `cannot be read: ${reason}`, isUnreadable: true }
}
