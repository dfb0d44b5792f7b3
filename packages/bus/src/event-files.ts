import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { cursorBefore } from '@pairwire/contract'
import { HEADER_BYTES, isSound, readHeader } from './event-record.ts'

/** A file of the log. */
export type Segment = {
  readonly number: number
  /** Cursor of the last event before it; empty where it is not known. */
  readonly before: string
  size: number
  /** When it was begun, and when it was last written. */
  readonly begunAt: number
  newestAt: number
  /** Where its records stand, once anybody has asked. */
  index?: Promise<Index> | undefined
}

/**
 * Where each record of a segment stands, with its bytes and its last cursor: some 80 bytes of memory a record, so that it
 * is kept of every file.
 */
export type Index = {
  /** Cursor of the first event. */
  first?: string
  readonly offsets: number[]
  readonly sizes: number[]
  readonly lasts: string[]
}

/** An index of nothing. */
export function emptyIndex(): Index {
  return { offsets: [], sizes: [], lasts: [] }
}

const FORMAT = 'pairwire events 1'

/** Bytes that a head has at most. */
const MAX_HEAD_BYTES = 128

/** What a file begins with; `before` is the cursor of the last event before it. */
export function headOf(kind: string, before: string): Buffer {
  return Buffer.from(`${FORMAT} ${kind} ${before}\n`)
}

/** The files in the folder that are of this kind; all others are removed where `mayRemove`. */
export async function findSegments(
  folder: string,
  kind: string,
  pathOf: (number: number) => string,
  mayRemove: boolean,
): Promise<Segment[]> {
  const segments: Segment[] = []
  const names = (await readdir(folder)).filter((name) => /^\d{6,}\.events$/.test(name))
  for (const number of names.map((name) => Number.parseInt(name, 10)).sort((left, right) => left - right)) {
    const file = await open(pathOf(number), 'r')
    try {
      const { size, mtimeMs } = await file.stat()
      const head = Buffer.alloc(MAX_HEAD_BYTES)
      const { bytesRead } = await file.read(head, 0, MAX_HEAD_BYTES, 0)
      const match = new RegExp(`^${FORMAT} (\\S+) ([\\d-]*)\\n`).exec(head.toString('latin1', 0, bytesRead))
      if (match?.[1] === kind) {
        segments.push({ number, before: match[2]!, size, begunAt: mtimeMs, newestAt: mtimeMs })
        continue
      }
    } finally {
      await file.close()
    }
    if (mayRemove) await rm(pathOf(number))
  }
  return segments
}

/** Bytes read at once where a header is looked for: one page of the disk. */
const PIECE_BYTES = 4_096

/**
 * Finds the records of a file by their headers alone; damaged bytes between two of them stand there as a record that cannot
 * be read. Bodies are looked at where `withBodies` is set; else they are when they are read.
 *
 * @returns where each stands, the offset behind the last one that is sound and ends a batch, and which before it are damaged
 */
export async function findRecords(
  path: string,
  withBodies: boolean,
): Promise<Readonly<{ index: Index; end: number; damaged: readonly number[] }>> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const index = emptyIndex()
    const damaged: number[] = []
    let piece = await readPiece(file, 0, PIECE_BYTES)
    let pieceAt = 0
    let at = piece.indexOf('\n') + 1
    let end = at
    let whole = 0
    for (;;) {
      if (at + HEADER_BYTES > pieceAt + piece.length) {
        piece = await readPiece(file, at, PIECE_BYTES)
        pieceAt = at
      }
      const header = readHeader(piece, at - pieceAt, size - pieceAt)
      if (!header) {
        const next = await findHeader(file, at + 1, size)
        if (!next) break
        damaged.push(index.lasts.length)
        index.offsets.push(at)
        index.sizes.push(0)
        index.lasts.push(cursorBefore(next.first))
        at = next.at
        continue
      }
      const bytes = HEADER_BYTES + header.bodyBytes
      const isDamaged =
        withBodies && !isSound(await readPiece(file, at + HEADER_BYTES, header.bodyBytes), header)
      if (isDamaged) damaged.push(index.lasts.length)
      index.first ??= header.first
      index.offsets.push(at)
      index.sizes.push(bytes)
      index.lasts.push(header.last)
      at += bytes
      if (!header.endsBatch || isDamaged) continue
      end = at
      whole = index.lasts.length
    }
    for (const list of [index.offsets, index.sizes, index.lasts]) list.length = whole
    return { index, end, damaged: damaged.filter((place) => place < whole) }
  } finally {
    await file.close()
  }
}

/** Bytes in which a header is looked for at once. */
const SEARCHED_BYTES = 256 * 1024

/** Where the next header stands, at `from` or behind it: its checksum tells it from all else. */
async function findHeader(file: FileHandle, from: number, size: number) {
  for (let at = from; at + HEADER_BYTES <= size; at += SEARCHED_BYTES) {
    const piece = await readPiece(file, at, SEARCHED_BYTES + HEADER_BYTES)
    for (let place = 0; place < SEARCHED_BYTES; place++) {
      const header = readHeader(piece, place, size - at)
      if (header) return { at: at + place, first: header.first }
    }
  }
  return undefined
}

/** Bytes of a file from `at` on, as far as there are any. */
export async function readAt(path: string, at: number, length: number): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    return await readPiece(file, at, length)
  } finally {
    await file.close()
  }
}

async function readPiece(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  const { bytesRead } = await file.read(bytes, 0, length, at)
  return bytes.subarray(0, bytesRead)
}
