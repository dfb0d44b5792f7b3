import { setImmediate } from 'node:timers/promises'
import type { Clock } from '@pairwire/basics'
import { formatCursor, type NotificationEvent } from '@pairwire/contract'
import type { Decoded } from '@pairwire/decoders'
import type { Moment } from '../tokens/tell-token.ts'
import type { TokenMemory } from '../tokens/token-memory.ts'
import { newPairOf, type Prepared, prepare, type Token } from './event-params.ts'
import { afterOwnSwaps, type NewPairEvent, newPairFactsOf, swapFactsOf } from './facts.ts'
import type { Prices } from './prices.ts'

/**
 * Milliseconds of a turn of the loop spent on making a block's events, or learning from it, so that a full one does not
 * block the process's sockets. A usual live slot, decoded on arrival, takes one.
 */
export const TURN_MS = 2

/** Milliseconds that the gateway of the same process has the loop to itself to write a block, or until the next one. */
const WRITING_MS = 25

/** The position of a transaction's events in the stream. */
type TransactionPlace = Readonly<{
  run: number
  slot: number
  /** Unix seconds. */
  blockTime: number
  /** Index among the transactions of the block. */
  transactionIndex: number
  /** 64 bytes. */
  signature: Uint8Array
  /** The position of events in order of arrival: after everything earlier, and not in chain order. */
  arrival?: Readonly<{ slot: number; transactionIndex: number }>
  /** When it arrived from the chain, in Unix milliseconds, if known. */
  receivedAt?: number
}>

/** What earlier transactions taught, and the lookup of token details that they lack. */
export type Memory = Readonly<{
  prices: Prices
  tokens: TokenMemory
  metadata?: { sawPair(event: NewPairEvent, at: Moment): void; sawTrade(mint: string, at: Moment): void }
}>

/**
 * Makes the stream's events of one transaction, in order, each with its cursor, its USD value, the known details of its
 * tokens and the facts that the transaction tells. Call it in chain order: it updates the memory, except for what {@link learn} does.
 */
export function enrich(
  { events, tokens: changes = [] }: Pick<Decoded, 'events' | 'tokens'>,
  place: TransactionPlace,
  { prices, tokens, metadata }: Memory,
  prepared: Prepared = prepare({ events }, place.signature),
): readonly NotificationEvent[] {
  if (changes.length > 0) tokens.apply(changes, place)
  if (events.length === 0) return []
  const { run, slot, blockTime, arrival, receivedAt } = place
  const at = arrival ?? place
  const { signature, swaps } = prepared
  let hasPair = false

  const enriched = events.map((event, eventIndex): NotificationEvent => {
    const cursor = formatCursor({ run, slot: at.slot, transactionIndex: at.transactionIndex, eventIndex })
    if (event.kind === 'newPair') {
      hasPair = true
      const baseToken = tokens.complete(event.baseToken, place, event.launchpad)
      const quoteToken = tokens.complete(event.quoteToken, place)
      const full = { ...event, baseToken, quoteToken }
      const params = { slot, signature, blockTime, pair: newPairOf(full) }
      const made = { kind: 'newPair', cursor, params, facts: newPairFactsOf(full) } as const
      metadata?.sawPair(made, place)
      return receivedAt === undefined ? made : { ...made, receivedAt }
    }
    const swap = { ...swaps[eventIndex]!, usdValue: prices.usdValue(event, place) }
    const params = { slot, signature, blockTime, swap }
    const facts = swapFactsOf(event, tokens.supplyOf(event.baseTokenMint))
    return receivedAt === undefined
      ? { kind: 'swap', cursor, params, facts }
      : { kind: 'swap', cursor, params, receivedAt, facts }
  })
  const told = hasPair ? afterOwnSwaps(enriched) : enriched
  return arrival === undefined ? told : told.map((event) => ({ ...event, unplaced: true }))
}

/**
 * Learns from the trades of a transaction for later blocks. It changes nothing in its own block, so it may wait until
 * that is published. Call it in chain order, before a later block.
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

/** A transaction with events that value and name those of later blocks. */
export type Lesson = Readonly<{ decoded: Decoded; place: Parameters<typeof learn>[1] }>

/**
 * Learns from a published block once its events are sent.
 *
 * @returns a function that finishes this at once and resolves when it is done: the next block must not be made earlier
 */
export function learnLater(
  lessons: readonly Lesson[],
  memory: Memory,
  clock: Pick<Clock, 'after' | 'elapsed'>,
): () => Promise<void> {
  let learning: Promise<void> | undefined
  const now = () => {
    cancel()
    learning ??= learnFrom(lessons, memory, clock)
    return learning
  }
  const cancel = clock.after(WRITING_MS, () => void now())
  return now
}

async function learnFrom(
  lessons: readonly Lesson[],
  memory: Memory,
  clock: Pick<Clock, 'elapsed'>,
): Promise<void> {
  let began = clock.elapsed()
  for (const { decoded, place } of lessons) {
    if (clock.elapsed() - began >= TURN_MS) {
      await setImmediate()
      began = clock.elapsed()
    }
    learn(decoded, place, memory)
  }
  const last = lessons.at(-1)
  if (last) memory.prices.endBlock(last.place)
  void memory.tokens.settle()
}

/**
 * Does the same as {@link enrich} for early events, in order of arrival: with the prices and names known now, which may
 * differ from the confirmed ones. Of the transaction, which may be undone, only the tokens of its new pairs are
 * remembered, in `launched`.
 */
export function enrichEarly(
  { events }: Pick<Decoded, 'events'>,
  place: TransactionPlace,
  { prices, tokens }: Pick<Memory, 'prices' | 'tokens'>,
  { signature, swaps }: Prepared,
  launched: Map<string, Token>,
): readonly NotificationEvent[] {
  const { run, slot, blockTime, transactionIndex, receivedAt } = place
  const came = receivedAt === undefined ? undefined : { receivedAt }
  const enriched = events.map((event, eventIndex): NotificationEvent => {
    const cursor = formatCursor({ run, slot, transactionIndex, eventIndex })
    const early = { cursor, unplaced: true, commitment: 'processed', ...came } as const
    if (event.kind === 'newPair') {
      const known = tokens.preview(event.baseToken, event.launchpad)
      const baseToken = known.supply === null ? (launched.get(known.mint) ?? known) : known
      const quoteToken = tokens.preview(event.quoteToken)
      launched.set(baseToken.mint, baseToken)
      const full = { ...event, baseToken, quoteToken }
      const params = { slot, signature, blockTime, pair: newPairOf(full) }
      return { ...early, kind: 'newPair', params, facts: newPairFactsOf(full) }
    }
    const swap = { ...swaps[eventIndex]!, usdValue: prices.knownUsdValue(event, blockTime) }
    const params = { slot, signature, blockTime, swap }
    const supply = tokens.supplyOf(event.baseTokenMint) ?? launched.get(event.baseTokenMint)?.supply ?? null
    return { ...early, kind: 'swap', params, facts: swapFactsOf(event, supply) }
  })
  return afterOwnSwaps(enriched)
}
