import { encodeBase58, formatCursor, type StreamEvent } from '@pairwire/contract'
import type { DecodedEvent } from '@pairwire/decoders'
import { newPairOf, swapOf } from './event-params.ts'
import type { Prices } from './prices.ts'

/** Where the events of one transaction stand in the stream. */
export type TransactionPlace = Readonly<{
  run: number
  slot: number
  /** Unix seconds. */
  blockTime: number
  /** Among the transactions of the block. */
  transactionIndex: number
  /** 64 bytes. */
  signature: Uint8Array
}>

/**
 * The stream's events of one transaction, in order, each with its cursor and USD value. Call it in chain order:
 * what a trade is worth follows from the trades before it, which `prices` remembers.
 */
export function enrich(
  events: readonly DecodedEvent[],
  place: TransactionPlace,
  prices: Prices,
): readonly StreamEvent[] {
  if (events.length === 0) return []
  const { run, slot, blockTime, transactionIndex } = place
  const signature = encodeBase58(place.signature)

  return events.map((event, eventIndex) => {
    const cursor = formatCursor({ run, slot, transactionIndex, eventIndex })
    if (event.kind === 'newPair') {
      return { kind: 'newPair', cursor, params: { slot, signature, blockTime, pair: newPairOf(event) } }
    }
    prices.observe(event, blockTime)
    const swap = swapOf(event, prices.usdValue(event, blockTime))
    return { kind: 'swap', cursor, params: { slot, signature, blockTime, swap } }
  })
}
