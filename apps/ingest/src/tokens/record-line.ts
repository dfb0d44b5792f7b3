import { crc32 } from 'node:zlib'
import type { RecordFormat } from '@pairwire/segment-log'

/**
 * A record as a line of text: its checksum, its key and its body.
 *
 *     1f0c9a3e <key>⇥<body>↵
 */
const SUM_DIGITS = 8
const KEY_OFFSET = SUM_DIGITS + 1
const TAB = 9
const LINE_END = 10

/** Longest record as a line. */
export const MAX_LINE_BYTES = 64 * 1024

/** An ASCII key and a body of any text, both without tabs and line breaks. */
export type LogRecord = Readonly<{ key: string; body: string }>

/** How a file of lines is searched, a few hundred at once. */
export const LINE_FORMAT: RecordFormat<Pick<LogRecord, 'key'>> = {
  headerBytes: MAX_LINE_BYTES,
  pieceBytes: 16 * MAX_LINE_BYTES,
  readHeader(bytes, at) {
    const end = soundEnd(bytes, at)
    return end === -1 ? undefined : { key: keyOf(bytes, at), recordBytes: end + 1 - at }
  },
}

/** Writes a record as a line. @throws RangeError when it is too long */
export function writeLine({ key, body }: LogRecord): Buffer {
  const line = Buffer.from(`${'0'.repeat(SUM_DIGITS)} ${key}\t${body}\n`)
  if (line.length > MAX_LINE_BYTES) throw new RangeError('The record is too long for a line.')
  const sum = crc32(line.subarray(KEY_OFFSET, line.length - 1))
  line.write(sum.toString(16).padStart(SUM_DIGITS, '0'), 'latin1')
  return line
}

/** Reads the record of the line at `at`; `undefined` if it is cut or damaged. */
export function readLine(bytes: Buffer, at: number): LogRecord | undefined {
  const end = soundEnd(bytes, at)
  if (end === -1) return undefined
  return { key: keyOf(bytes, at), body: bytes.toString('utf8', bytes.indexOf(TAB, at) + 1, end) }
}

function keyOf(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at + KEY_OFFSET, bytes.indexOf(TAB, at))
}

/** Returns the offset of the line break after an intact line; -1 for a damaged or cut one. */
function soundEnd(bytes: Buffer, at: number): number {
  let sum = 0
  for (let digit = at; digit < at + SUM_DIGITS; digit++) {
    const code = bytes[digit] ?? 0
    // 0 to 9, then a to f.
    const value = code < 58 ? code - 48 : code - 87
    if (value < 0 || value > 15) return -1
    sum = sum * 16 + value
  }
  const start = at + KEY_OFFSET
  const end = bytes.indexOf(LINE_END, start)
  if (end === -1) return -1
  return crc32(bytes.subarray(start, end)) === sum && bytes.indexOf(TAB, start) < end ? end : -1
}
