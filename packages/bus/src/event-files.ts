import { open, readdir, rm } from 'node:fs/promises'
import { HEADER_BYTES, isSound, type RecordHeader, readHeader } from './event-record.ts'

/** A file of the log. */
export type Segment = {
  readonly number: number
  /** Cursor of the last event before it; empty where it is not known. */
  readonly before: string
  size: number
  /** When it was begun, and when it was last written. */
  readonly begunAt: number
  newestAt: number
}

/** Where each record of a segment stands. */
export type Index = { readonly offsets: number[]; readonly headers: RecordHeader[] }

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

/**
 * Finds the records of a file. @returns where each stands, and the offset behind the last one that ends a batch and
 * has only sound ones before it. Bodies are looked at where `withBodies` is set; else they are when they are read.
 */
export function findRecords(bytes: Buffer, withBodies: boolean): { index: Index; end: number } {
  const offsets: number[] = []
  const headers: RecordHeader[] = []
  let at = bytes.indexOf('\n') + 1
  let end = at
  let whole = 0
  for (;;) {
    const header = readHeader(bytes, at)
    if (!header) break
    const next = at + HEADER_BYTES + header.bodyBytes
    if (withBodies && !isSound(bytes.subarray(at + HEADER_BYTES, next), header)) break
    offsets.push(at)
    headers.push(header)
    at = next
    if (!header.endsBatch) continue
    end = at
    whole = headers.length
  }
  return { index: { offsets: offsets.slice(0, whole), headers: headers.slice(0, whole) }, end }
}

/** Bytes of a file from `at` on, as far as there are any. */
export async function readAt(path: string, at: number, length: number): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const bytes = Buffer.allocUnsafe(length)
    const { bytesRead } = await file.read(bytes, 0, length, at)
    return bytes.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
