import { headers, type MsgHdrs } from '@nats-io/nats-core'
import type { StreamEvent } from '@pairwire/contract'
import type { InTurn } from '../bus.ts'
import { isSound, readEvents, readHeader, writeRecord } from '../event-record.ts'
import { cutIntoPieces } from '../event-ring.ts'

/**
 * A slot in transit: one message, or several if NATS takes none of that size. The headers describe it, so that a
 * position is found without the body; the body is records as the event store writes them.
 *
 *     Pairwire-Before      cursor of the last event before the slot; `-` where nothing is known of what came before
 *     Pairwire-Last        cursor of its last event
 *     Pairwire-Source      chain, recording or simulator
 *     Pairwire-Epoch       changes when the stream restarts, since earlier cursors may then repeat
 *     Pairwire-Publisher   the process that published it
 *     Pairwire-Part        `2/3`, only where it is split
 */
export type SlotHead = Readonly<{
  /** Empty if nothing is known of what came before. */
  before: string
  last: string
  source: string
  epoch: string
  publisher: string
  part: number
  parts: number
}>

const NAMES = {
  before: 'Pairwire-Before',
  last: 'Pairwire-Last',
  source: 'Pairwire-Source',
  epoch: 'Pairwire-Epoch',
  publisher: 'Pairwire-Publisher',
  part: 'Pairwire-Part',
} as const

/** Placeholder, since a header cannot be empty. */
const NOTHING = '-'

/** More than the headers of a message take, including those of NATS. */
export const HEADERS_BYTES = 1_024

/** Most parts of one slot; at the smallest payload that is 14 MB. */
const MAX_PARTS = 2_000

/** Makes the headers of a message. */
export function writeHead({ before, last, source, epoch, publisher, part, parts }: SlotHead): MsgHdrs {
  const head = headers()
  head.set(NAMES.before, before || NOTHING)
  head.set(NAMES.last, last)
  head.set(NAMES.source, source)
  head.set(NAMES.epoch, epoch)
  head.set(NAMES.publisher, publisher)
  if (parts > 1) head.set(NAMES.part, `${part}/${parts}`)
  return head
}

/** Reads the headers; undefined for a message that is not ours. */
export function readHead(head: MsgHdrs | undefined): SlotHead | undefined {
  if (!head) return undefined
  const before = head.get(NAMES.before)
  const last = head.get(NAMES.last)
  const part = /^(\d{1,4})\/(\d{1,4})$/.exec(head.get(NAMES.part) || '1/1')
  if (!/^(-|[\d-]{34,38})$/.test(before) || !/^[\d-]{34,38}$/.test(last) || !part) return undefined
  return {
    before: before === NOTHING ? '' : before,
    last,
    source: head.get(NAMES.source),
    epoch: head.get(NAMES.epoch),
    publisher: head.get(NAMES.publisher),
    part: Number(part[1]),
    parts: Number(part[2]),
  }
}

/** Makes the body of a slot; compresses off the main thread. */
export async function writeSlot(events: readonly StreamEvent[]): Promise<Buffer> {
  const pieces = cutIntoPieces(events)
  const records = pieces.map((piece, at) => writeRecord(piece.events, at === pieces.length - 1))
  return Buffer.concat(await Promise.all(records))
}

/** Reads the events of a body; undefined if it is damaged. Unpacks off the main thread, and parses in turn. */
export async function readSlot(
  body: Uint8Array,
  inTurn?: InTurn,
): Promise<readonly StreamEvent[] | undefined> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const records: Promise<readonly StreamEvent[]>[] = []
  for (let at = 0; at < bytes.length; ) {
    const header = readHeader(bytes, at)
    if (!header) return undefined
    const record = bytes.subarray(at, at + header.recordBytes)
    if (!isSound(record, header)) return undefined
    records.push(readEvents(record, inTurn))
    at += header.recordBytes
  }
  const read = await Promise.all(records)
  return read.length === 1 ? read[0] : read.flat()
}

/** Cuts a body into as many parts as messages of `maxPayload` bytes need. */
export function splitBody(body: Buffer, maxPayload: number): readonly Buffer[] {
  const most = maxPayload - HEADERS_BYTES
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; at += most) parts.push(body.subarray(at, at + most))
  if (parts.length > MAX_PARTS)
    throw new Error(`A slot of ${body.length} bytes would be ${parts.length} messages.`)
  return parts
}

/** Joins the parts of a slot. */
export function createSlotAssembly() {
  let parts: Uint8Array[] = []
  let of: SlotHead | undefined

  return {
    /** @returns the slot's body once complete. A part without its predecessor is skipped, and the slot with it. */
    add(head: SlotHead, data: Uint8Array): Uint8Array | undefined {
      if (head.parts === 1) {
        parts = []
        return data
      }
      // A publisher that stopped midway left its first parts; it, or another one, has started over.
      if (head.part === 1) parts = []
      else if (
        parts.length !== head.part - 1 ||
        of?.last !== head.last ||
        of.parts !== head.parts ||
        of.publisher !== head.publisher
      ) {
        parts = []
        return undefined
      }
      of = head
      parts.push(data)
      if (parts.length < head.parts) return undefined
      const body = Buffer.concat(parts)
      parts = []
      return body
    },
  }
}
