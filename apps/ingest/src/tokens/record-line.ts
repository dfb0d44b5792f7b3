import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'

/**
 * A record as a line of text: its checksum, its key and its body.
 *
 *     1f0c9a3e <key>⇥<body>↵
 */
const SUM_DIGITS = 8
const KEY_OFFSET = SUM_DIGITS + 1
const TAB = 9
const LINE_END = 10

/** Lines read at a stretch, so that a long file does not hold up the sockets of the same process. */
const LINES_PER_TURN = 1_000

/** A key of ASCII and a body of any text; neither holds a tab or a line break. */
export type LogRecord = Readonly<{ key: string; body: string }>

/** Bytes that a record needs at most as a line. */
export function lineBytes({ key, body }: LogRecord): number {
  return KEY_OFFSET + key.length + body.length * 3 + 2
}

/** Writes a record as a line at `at`. @returns the offset behind it */
export function writeLine(bytes: Buffer, at: number, { key, body }: LogRecord): number {
  const start = at + KEY_OFFSET
  let end = start + bytes.write(key, start, 'latin1')
  bytes[end++] = TAB
  end += bytes.write(body, end)
  bytes.write(`${crc32(bytes.subarray(start, end)).toString(16).padStart(SUM_DIGITS, '0')} `, at, 'latin1')
  bytes[end] = LINE_END
  return end + 1
}

/** The record of the line at `at`; `undefined` for one that is cut or not what was written. */
export function readLine(bytes: Buffer, at: number): LogRecord | undefined {
  const end = soundEnd(bytes, at)
  if (end === -1) return undefined
  const tab = bytes.indexOf(TAB, at)
  return { key: bytes.toString('latin1', at + KEY_OFFSET, tab), body: bytes.toString('utf8', tab + 1, end) }
}

/** Reads the keys of sound lines one after the other. @returns the offset of the first that is not sound, or the end */
export async function readKeys(bytes: Buffer, take: (key: string, at: number) => void): Promise<number> {
  let at = 0
  for (let count = 1; at < bytes.length; count++) {
    const end = soundEnd(bytes, at)
    if (end === -1) return at
    take(bytes.toString('latin1', at + KEY_OFFSET, bytes.indexOf(TAB, at)), at)
    at = end + 1
    if (count % LINES_PER_TURN === 0) await setImmediate()
  }
  return at
}

/** Whether any line that begins behind `at` is sound. */
export function hasSoundLine(bytes: Buffer, at: number): boolean {
  for (let end = bytes.indexOf(LINE_END, at); end !== -1; end = bytes.indexOf(LINE_END, end + 1)) {
    if (soundEnd(bytes, end + 1) !== -1) return true
  }
  return false
}

/** Offset of the line break behind a line that is as it was written; -1 for any other, and for one that is cut. */
function soundEnd(bytes: Buffer, at: number): number {
  const start = at + KEY_OFFSET
  const end = bytes.indexOf(LINE_END, start)
  if (end === -1) return -1
  let sum = 0
  for (let digit = at; digit < at + SUM_DIGITS; digit++) {
    const code = bytes[digit]!
    // 0 to 9, then a to f.
    const value = code < 58 ? code - 48 : code - 87
    if (value < 0 || value > 15) return -1
    sum = sum * 16 + value
  }
  return crc32(bytes.subarray(start, end)) === sum && bytes.indexOf(TAB, start) < end ? end : -1
}
