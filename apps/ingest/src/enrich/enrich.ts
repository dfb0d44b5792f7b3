import { formatCursor, type NotificationEvent } from '@pairwire/contract'
import type { Decoded } from '@pairwire/decoders'
import type { Metadata } from '../metadata/metadata.ts'
import type { TokenMemory } from '../tokens/token-memory.ts'
import { newPairOf, type Prepared, prepare } from './event-params.ts'
import type { Prices } from './prices.ts'

/** Where the events of one transaction stand in the stream. */
type TransactionPlace = Readonly<{
  run: number
  slot: number
  /** Unix seconds. */
  blockTime: number
  /** Among the transactions of the block. */
  transactionIndex: number
  /** 64 bytes. */
  signature: Uint8Array
  /** Where events stand that come in order of arrival: behind all that came before, and not where the chain has them. */
  arrival?: Readonly<{ slot: number; transactionIndex: number }>
  /** When it came from the chain, Unix milliseconds, where that is known. */
  receivedAt?: number
}>

/** What is remembered of earlier transactions, and who finds out what they do not tell of tokens. */
export type Memory = Readonly<{
  prices: Prices
  tokens: TokenMemory
  metadata?: Pick<Metadata, 'sawPair' | 'sawTrade'>
}>

/**
 * The stream's events of one transaction, in order, each with its cursor, its USD value and what is known of its
 * tokens. Call it in chain order: the memory goes along, but for what {@link learn} takes in.
 */
export function enrich(
  { events, tokens: changes = [] }: Pick<Decoded, 'events' | 'tokens'>,
  place: TransactionPlace,
  { prices, tokens, metadata }: Memory,
  prepared: Prepared = prepare({ events }, place.signature),
): readonly NotificationEvent[] {
  tokens.apply(changes, place)
  if (events.length === 0) return []
  const { run, slot, blockTime, arrival, receivedAt } = place
  const at = arrival ?? place
  const { signature, swaps } = prepared

  const enriched = events.map((event, eventIndex): NotificationEvent => {
    const cursor = formatCursor({ run, slot: at.slot, transactionIndex: at.transactionIndex, eventIndex })
    if (event.kind === 'newPair') {
      const baseToken = tokens.complete(event.baseToken, place, event.launchpad)
      const quoteToken = tokens.complete(event.quoteToken, place)
      const pair = newPairOf({ ...event, baseToken, quoteToken })
      const made = { kind: 'newPair', cursor, params: { slot, signature, blockTime, pair } } as const
      metadata?.sawPair(made, place)
      return receivedAt === undefined ? made : { ...made, receivedAt }
    }
    const swap = { ...swaps[eventIndex]!, usdValue: prices.usdValue(event, place) }
    const params = { slot, signature, blockTime, swap }
    return receivedAt === undefined
      ? { kind: 'swap', cursor, params }
      : { kind: 'swap', cursor, params, receivedAt }
  })
  return arrival === undefined ? enriched : enriched.map((event) => ({ ...event, unplaced: true }))
}

/**
 * Takes in what the trades of a transaction tell of later blocks: of its own none is changed by it, so it may wait until
 * they are published. Call it in chain order, before a later block.
 */
export function learn(
  { events }: Pick<Decoded, 'events'>,
  place: Pick<TransactionPlace, 'run' | 'slot' | 'blockTime' | 'transactionIndex'>,
  { prices, metadata }: Pick<Memory, 'prices' | 'metadata'>,
): void {
  for (const event of events) {
    if (event.kind !== 'swap') continue
    metadata?.sawTrade(event.baseTokenMint, place)
    prices.observe(event, place)
  }
}

/**
 * The same as {@link enrich} ahead of confirmation, in order of arrival: with the price and the names that are known now, from which the
 * confirmed ones may differ. Nothing is remembered of it, as it may be undone.
 */
export function enrichEarly(
  { events }: Pick<Decoded, 'events'>,
  place: TransactionPlace,
  { prices, tokens }: Pick<Memory, 'prices' | 'tokens'>,
  { signature, swaps }: Prepared = prepare({ events }, place.signature),
): readonly NotificationEvent[] {
  const { run, slot, blockTime, transactionIndex, receivedAt } = place
  const came = receivedAt === undefined ? undefined : { receivedAt }
  return events.map((event, eventIndex): NotificationEvent => {
    const cursor = formatCursor({ run, slot, transactionIndex, eventIndex })
    const early = { cursor, unplaced: true, commitment: 'processed', ...came } as const
    if (event.kind === 'newPair') {
      const baseToken = tokens.preview(event.baseToken, event.launchpad)
      const quoteToken = tokens.preview(event.quoteToken)
      const pair = newPairOf({ ...event, baseToken, quoteToken })
      return { ...early, kind: 'newPair', params: { slot, signature, blockTime, pair } }
    }
    const swap = { ...swaps[eventIndex]!, usdValue: prices.knownUsdValue(event, blockTime) }
    return { ...early, kind: 'swap', params: { slot, signature, blockTime, swap } }
  })
}
