import { setImmediate as nextTurn } from 'node:timers/promises'
import { isObject } from '@pairwire/basics'
import {
  encodeBase58,
  formatCursor,
  LAST_PLACE,
  type NotificationEvent,
  type StreamEvent,
} from '@pairwire/contract'
import { type Decoded, decodeTransaction } from '@pairwire/decoders'
import { newPairOf, swapOf } from '../enrich/event-params.ts'
import { type BlockTransaction, isDecoded } from '../slot-keeper/block-transaction.ts'
import type { ChainBlock } from '../slot-keeper/slot-assembly.ts'
import { LIVE_RUN } from '../sources/source.ts'

/** An event whose published form differs from the chain. */
export type AuditFault = Readonly<{
  /** `missing`: not published. `extra`: published, but not on the chain, or too often. `different`: not the same. */
  kind: 'missing' | 'extra' | 'different'
  event: NotificationEvent['kind']
  /** The exchange as events name it; `chain` for a block. */
  venue: string
  slot: number
  /** Base58; null for a block. */
  signature: string | null
  cursor: string
  /** The paths of differing fields; only for `different`. */
  fields?: readonly string[]
  /** Only for `missing`: whether a gap covers its slot. */
  announced?: true
}>

/** Fields that depend on more than the event's own transaction: never compared. */
const NOT_COMPARED = new Set(['params.swap.usdValue'])

/** Milliseconds of decoding in one turn: a running service compares a slot a minute while it serves its sockets. */
const STRETCH_MS = 4

/** Makes the events expected of a block, except for what depends on earlier ones: prices and older tokens' names. */
export async function expectedOf(block: ChainBlock): Promise<readonly NotificationEvent[]> {
  const { slot, blockTime } = block
  const events: NotificationEvent[] = []
  let began = performance.now()
  for (const [at, transaction] of block.transactions.entries()) {
    events.push(...eventsOf(transaction, at, block))
    if (performance.now() - began < STRETCH_MS) continue
    await nextTurn()
    began = performance.now()
  }
  const cursor = formatCursor({ run: LIVE_RUN, slot, ...LAST_PLACE })
  events.push({ kind: 'latestBlock', cursor, params: { block: slot, blockTime: blockTime ?? Number.NaN } })
  return events
}

/** Returns the differences between the chain and what was published of a slot; `published` is in the store's order. */
export function compareSlot(
  slot: number,
  expected: readonly NotificationEvent[],
  published: readonly StreamEvent[],
): readonly AuditFault[] {
  const faults: AuditFault[] = []
  const wanted = new Map(expected.map((event) => [event.cursor, event]))
  const seen = new Set<string>()
  let newest = ''
  for (const event of published) {
    if (event.kind !== 'swap' && event.kind !== 'newPair' && event.kind !== 'latestBlock') continue
    const twin = wanted.get(event.cursor)
    if (!twin || seen.has(event.cursor)) {
      faults.push(faultOf('extra', event, slot))
      continue
    }
    seen.add(event.cursor)
    const fields = [...differences(twin, event), ...(event.cursor < newest ? ['place'] : [])]
    if (fields.length > 0) faults.push({ ...faultOf('different', twin, slot), fields })
    if (event.cursor > newest) newest = event.cursor
  }
  for (const event of expected) {
    if (!seen.has(event.cursor)) faults.push(faultOf('missing', event, slot))
  }
  return faults
}

function eventsOf(transaction: BlockTransaction, at: number, { slot, blockTime }: ChainBlock) {
  const { events } = decodeSafely(transaction)
  const signature = encodeBase58(transaction.signature)
  return events.map((event, eventIndex): NotificationEvent => {
    const transactionIndex = transaction.index ?? at
    const cursor = formatCursor({ run: LIVE_RUN, slot, transactionIndex, eventIndex })
    const place = { slot, signature, blockTime: blockTime ?? Number.NaN }
    return event.kind === 'newPair'
      ? { kind: 'newPair', cursor, params: { ...place, pair: newPairOf(event) } }
      : { kind: 'swap', cursor, params: { ...place, swap: swapOf(event, null) } }
  })
}

/** A transaction that makes a decoder throw publishes nothing. */
function decodeSafely(transaction: BlockTransaction): Pick<Decoded, 'events'> {
  try {
    return isDecoded(transaction) ? transaction.decoded : decodeTransaction(transaction)
  } catch {
    return { events: [] }
  }
}

function faultOf(kind: AuditFault['kind'], event: NotificationEvent, slot: number): AuditFault {
  const { cursor } = event
  if (event.kind === 'latestBlock')
    return { kind, event: event.kind, venue: 'chain', slot, signature: null, cursor }
  const { signature } = event.params
  const { sourceExchange: venue } = event.kind === 'swap' ? event.params.swap : event.params.pair
  return { kind, event: event.kind, venue, slot, signature, cursor }
}

/** Returns the paths where the published event differs from the chain. */
function differences(expected: NotificationEvent, published: NotificationEvent): string[] {
  if (expected.kind !== published.kind) return ['kind']
  return differencesAt('params', expected.params, published.params)
}

function differencesAt(path: string, expected: unknown, published: unknown): string[] {
  if (NOT_COMPARED.has(path) || Number.isNaN(expected)) return []
  // Details that the transaction does not contain may come from earlier ones, or from the token's own pages.
  if (expected === null && path.includes('.info')) return []
  if (!isObject(expected) || !isObject(published)) return expected === published ? [] : [path]
  return [...new Set([...Object.keys(expected), ...Object.keys(published)])].flatMap((name) =>
    differencesAt(`${path}.${name}`, expected[name], published[name]),
  )
}
