import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, crc32 } from 'node:zlib'
import { eventsOfText, eventsTextParts, type StreamEvent } from '@pairwire/contract'
import type { RecordFormat } from '@pairwire/segment-log'
import type { InTurn } from './bus.ts'
import { lastCursorOf } from './event-ring.ts'

/**
 * Consecutive events as stored on disk:
 *
 *     4  checksum of the header's rest       38  cursor of the first event
 *     4  checksum of the body                38  cursor of the last one
 *     4  length of the body                   …  body: the events as JSON, compressed
 *     1  whether it ends a batch
 */
export type RecordHeader = Readonly<{
  bodySum: number
  recordBytes: number
  endsBatch: boolean
  first: string
  last: string
}>

/** Bytes of a cursor: only digits and dashes, of fixed length, with room for longer numbers. */
const CURSOR_BYTES = 38

const AT_BODY_SUM = 4
const AT_BODY_BYTES = 8
const AT_ENDS_BATCH = 12
const AT_FIRST = 13
const AT_LAST = AT_FIRST + CURSOR_BYTES

/** Bytes of a header. */
const HEADER_BYTES = AT_LAST + CURSOR_BYTES

/** The fastest of Node's algorithms for its size; see the decision on the event store. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 19 } }

/** More than any unpacked body: 256 events of a few kilobytes each. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024

const compress = promisify(brotliCompress) as (text: Buffer, options: object) => Promise<Buffer>
const decompress = promisify(brotliDecompress) as (bytes: Buffer, options: object) => Promise<Buffer>

/** Makes the record of these events; compresses off the main thread. */
export async function writeRecord(events: readonly StreamEvent[], endsBatch: boolean): Promise<Buffer> {
  const body = await compress(await textOf(events), COMPRESSION)
  const record = Buffer.alloc(HEADER_BYTES + body.length)
  record.writeUInt32LE(crc32(body), AT_BODY_SUM)
  record.writeUInt32LE(body.length, AT_BODY_BYTES)
  record[AT_ENDS_BATCH] = endsBatch ? 1 : 0
  record.write(events[0]!.cursor, AT_FIRST, CURSOR_BYTES, 'latin1')
  record.write(lastCursorOf(events), AT_LAST, CURSOR_BYTES, 'latin1')
  record.writeUInt32LE(crc32(record.subarray(AT_BODY_SUM, HEADER_BYTES)), 0)
  body.copy(record, HEADER_BYTES)
  return record
}

/** Events serialized in one turn of the loop: less than a millisecond. */
const EVENTS_PER_TURN = 64

async function textOf(events: readonly StreamEvent[]): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const part of eventsTextParts(events, EVENTS_PER_TURN)) {
    if (parts.length > 0) await setImmediate()
    parts.push(Buffer.from(part))
  }
  return Buffer.concat(parts)
}

/** Reads the header at `at`; undefined if it is cut or invalid, or the body does not fit before `end`. */
export function readHeader(bytes: Buffer, at: number, end = bytes.length): RecordHeader | undefined {
  if (at + HEADER_BYTES > bytes.length) return undefined
  // A cursor begins with a digit, so a search at every byte computes few checksums.
  if (!isDigit(bytes[at + AT_FIRST]!) || !isDigit(bytes[at + AT_LAST]!)) return undefined
  if (crc32(bytes.subarray(at + AT_BODY_SUM, at + HEADER_BYTES)) !== bytes.readUInt32LE(at)) return undefined
  const bodyBytes = bytes.readUInt32LE(at + AT_BODY_BYTES)
  if (at + HEADER_BYTES + bodyBytes > end) return undefined
  return {
    bodySum: bytes.readUInt32LE(at + AT_BODY_SUM),
    recordBytes: HEADER_BYTES + bodyBytes,
    endsBatch: bytes[at + AT_ENDS_BATCH] === 1,
    first: readCursor(bytes, at + AT_FIRST),
    last: readCursor(bytes, at + AT_LAST),
  }
}

/** How a file of records is searched: by headers, reading one page of the disk at a time. */
export const RECORD_FORMAT: RecordFormat<RecordHeader> = {
  headerBytes: HEADER_BYTES,
  pieceBytes: 4_096,
  readHeader,
}

/** Whether the body of a record is intact. */
export function isSound(record: Buffer, { bodySum }: RecordHeader): boolean {
  return crc32(record.subarray(HEADER_BYTES)) === bodySum
}

/**
 * Reads the events of a sound record; unpacks its body off the main thread. A reader that pays by turns examines each
 * event, so they are parsed in its turn; without turns they are only split, for a reader that passes them on.
 */
export async function readEvents(record: Buffer, inTurn?: InTurn): Promise<readonly StreamEvent[]> {
  const text = await decompress(record.subarray(HEADER_BYTES), { maxOutputLength: MAX_UNPACKED_BYTES })
  if (!inTurn) return eventsOfText(text.toString())
  // The checksum proves that `writeRecord` wrote it, and the file's head in which version.
  return inTurn(text.length, () => JSON.parse(text.toString()) as StreamEvent[])
}

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39

function readCursor(bytes: Buffer, at: number): string {
  const end = bytes.indexOf(0, at)
  return bytes.toString('latin1', at, Math.min(end < 0 ? bytes.length : end, at + CURSOR_BYTES))
}
