import { setImmediate } from 'node:timers/promises'
import type { NotificationEvent } from '@pairwire/contract'
import type { Clock } from '@pairwire/process'
import { type BlockTransaction, isDecoded } from '../slot-keeper/block-transaction.ts'
import type { Block } from '../sources/source.ts'
import { type Draft, draft, type Memory } from './enrich.ts'
import { TURN_MS } from './learn-later.ts'

/**
 * Swaps of the block that comes next, made while it waits to be confirmed, so that little is left to do for all of them
 * at once when it is. They are worth what the blocks before it say, so no block may come between.
 *
 *     expected -> the block before it is learned from -> drafted, some transactions in each turn of the loop -> taken
 */
export type Drafts = Readonly<{
  /** The block comes next if it is confirmed as it is; `learnt` resolves once all before it is learned from. */
  expect(block: Block<BlockTransaction>, learnt: Promise<void>): void
  /**
   * The drafts of this block's transactions, in their places, as far as they are made; it came at `receivedAt` (Unix
   * milliseconds). None where another block was expected. They are given once.
   */
  take(block: Block<BlockTransaction>, receivedAt: number): Drafted
}>

type Drafted = readonly (readonly Draft[] | undefined)[]

/** What {@link createDrafts} needs. */
type DraftsParts = Readonly<{
  memory: Pick<Memory, 'prices'>
  clock: Pick<Clock, 'elapsed'>
  /** Called with all that was drafted of a block, in order. */
  expect(events: readonly NotificationEvent[]): void
  /** Told when that threw. */
  failed(error: unknown): void
}>

/** Has nothing drafted. */
export function createDrafts({ memory, clock, expect, failed }: DraftsParts): Drafts {
  let expected: Block<BlockTransaction> | undefined
  let drafted: (readonly Draft[] | undefined)[] = []

  const make = async (block: Block<BlockTransaction>): Promise<void> => {
    let began = clock.elapsed()
    for (const transaction of block.transactions) {
      if (clock.elapsed() - began >= TURN_MS) {
        await setImmediate()
        began = clock.elapsed()
      }
      if (expected !== block) return
      drafted.push(draftOne(block, transaction))
    }
    expect(drafted.flatMap((events) => events ?? []))
  }

  const draftOne = ({ run, slot, blockTime }: Block<BlockTransaction>, transaction: BlockTransaction) => {
    const { signature, index } = transaction
    if (!isDecoded(transaction) || index === null) return undefined
    const place = { run, slot, blockTime, transactionIndex: index, signature }
    return draft(transaction.decoded, place, memory, transaction.prepared)
  }

  return {
    expect(block, learnt) {
      expected = block
      drafted = []
      learnt.then(() => make(block)).catch(failed)
    },

    take(block, receivedAt) {
      const isExpected = expected !== undefined && isSame(expected, block)
      expected = undefined
      if (!isExpected) return NOTHING
      for (const events of drafted) for (const event of events ?? []) event.receivedAt = receivedAt
      return drafted
    },
  }
}

const NOTHING: Drafted = []

/** Whether both are the same part of one block, though another endpoint may have sent it. */
function isSame(one: Block<BlockTransaction>, other: Block<BlockTransaction>): boolean {
  if (one.id !== other.id || one.blockTime !== other.blockTime) return false
  if (one.transactions === other.transactions) return true
  if (one.transactions.length !== other.transactions.length) return false
  return one.transactions.every(({ index }, at) => index === other.transactions[at]!.index)
}
