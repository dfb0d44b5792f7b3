import { setImmediate } from 'node:timers/promises'
import type { NotificationEvent } from '@pairwire/contract'
import type { Clock } from '@pairwire/process'
import { type BlockTransaction, isDecoded } from '../slot-keeper/block-transaction.ts'
import type { Block } from '../sources/source.ts'
import type { TokenDraft } from '../tokens/token-memory.ts'
import { enrich, type Memory } from './enrich.ts'
import { TURN_MS } from './learn-later.ts'
import { endOf, placeOf } from './place-in-block.ts'
import type { Prices } from './prices.ts'

/**
 * The events of the block that comes next, made while it waits to be confirmed, so that nothing is left to make when it
 * is. Nothing is remembered of them, as the block may never be confirmed; they are what the blocks before it say, so no
 * block may come between, and nothing new be known of their tokens.
 *
 *     expected -> the block before it is learned from -> drafted, some transactions in each turn of the loop -> taken
 */
export type Drafts = Readonly<{
  /** The block comes next if it is confirmed as it is; `learnt` resolves once all before it is learned from. */
  expect(block: Block<BlockTransaction>, learnt: Promise<void>): void
  /**
   * The draft of this block, which came at `receivedAt` (Unix milliseconds); undefined where it is not made to its end, or
   * not what would be made now. It is given once.
   */
  take(block: Block<BlockTransaction>, receivedAt: number): Draft | undefined
}>

/** The events of a block, its own last. The memory has yet to go along. */
export type Draft = Readonly<{
  batch: readonly DraftedEvent[]
  /** What is known of its tokens. */
  tokens: Pick<TokenDraft, 'isCurrent'>
}>

/** It is whole but for when its block came. */
type DraftedEvent = NotificationEvent & { receivedAt: number }

/** What {@link createDrafts} needs. */
type DraftsParts = Readonly<{
  memory: Pick<Memory, 'prices' | 'tokens'>
  clock: Pick<Clock, 'elapsed'>
  /** Called with all events of a block that was drafted. */
  expect(events: readonly NotificationEvent[]): void
  /** Told when that threw. */
  failed(error: unknown): void
}>

/** Has nothing drafted. */
export function createDrafts({ memory, clock, expect, failed }: DraftsParts): Drafts {
  const { prices } = memory
  let expected: Block<BlockTransaction> | undefined
  let drafted: Draft | undefined

  const make = async (block: Block<BlockTransaction>): Promise<void> => {
    const tokens = memory.tokens.draft()
    const usdValue: Prices['usdValue'] = (swap, { blockTime }) => prices.knownUsdValue(swap, blockTime)
    const behind = { prices: { usdValue }, tokens }
    const batch: DraftedEvent[] = []
    let began = clock.elapsed()
    for (const [at, transaction] of block.transactions.entries()) {
      if (clock.elapsed() - began >= TURN_MS) {
        await setImmediate()
        began = clock.elapsed()
      }
      if (expected !== block) return
      // A decoder failed on it, which is said once the block is published.
      if (!isDecoded(transaction)) return
      const place = { ...placeOf(block, at), receivedAt: 0 }
      const events = enrich(transaction.decoded, place, behind, transaction.prepared)
      for (const event of events) batch.push(event as DraftedEvent) // since the place says when
    }
    batch.push(endOf(block, 0))
    drafted = { batch, tokens }
    expect(batch)
  }

  return {
    expect(block, learnt) {
      expected = block
      drafted = undefined
      learnt.then(() => make(block)).catch(failed)
    },

    take(block, receivedAt) {
      const draft = expected && isSame(expected, block) ? drafted : undefined
      expected = undefined
      drafted = undefined
      if (!draft?.tokens.isCurrent()) return undefined
      for (const event of draft.batch) event.receivedAt = receivedAt
      return draft
    },
  }
}

/** Whether both are the same part of one block, though another endpoint may have sent it. */
function isSame(one: Block<BlockTransaction>, other: Block<BlockTransaction>): boolean {
  if (one.id !== other.id || one.blockTime !== other.blockTime) return false
  if (one.transactions === other.transactions) return true
  if (one.transactions.length !== other.transactions.length) return false
  return one.transactions.every(({ index }, at) => index === other.transactions[at]!.index)
}
