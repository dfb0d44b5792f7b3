import { setImmediate } from 'node:timers/promises'
import type { Clock, Log } from '@pairwire/basics'
import { encodeBase58, formatCursor, LAST_PLACE, type StreamEvent } from '@pairwire/contract'
import { CallNotes, type Decoded, type Transaction } from '@pairwire/decoders'
import { enrich, type Lesson, type Memory, TURN_MS } from './enrich/enrich.ts'
import { withSlotBuyers } from './enrich/facts.ts'
import type { IngestFigures } from './ingest-figures.ts'
import { type BlockTransaction, type Decode, isDecoded } from './slot-keeper/block-transaction.ts'
import { type Block, LIVE_RUN } from './sources/source.ts'
import type { createUnknownRecords } from './unknown-records.ts'

/** What {@link createBlockEvents} needs. */
type BlockEventsParts = Readonly<{
  decode: Decode
  figures: IngestFigures
  /** Keeps records of unknown forms. */
  unknown: ReturnType<typeof createUnknownRecords> | undefined
  clock: Clock
  log: Log
}>

type MadeBlock = Readonly<{
  block: Block<BlockTransaction>
  /** Its events, with that of the block itself last. */
  batch: readonly StreamEvent[]
  /** The decoded transactions in order; undefined where a decoder failed. */
  decoded: readonly (Decoded | undefined)[]
}>

/** Makes the events of blocks: decodes transactions that are not decoded yet, and enriches them. */
export function createBlockEvents(parts: BlockEventsParts) {
  const { decode, unknown, figures, clock, log } = parts
  const { counts } = figures

  const count = (calls: CallNotes, transaction: Transaction | undefined) => {
    calls.tell(figures.calls)
    if (transaction) unknown?.keep(transaction, calls.unknownKinds)
  }

  const decodeHere = (transaction: Transaction): Decoded | undefined => {
    try {
      const calls = new CallNotes()
      const decoded = decode(transaction, calls)
      count(calls, transaction)
      return decoded
    } catch (error) {
      counts.decoderFaults++
      log.error('A decoder failed on a transaction, which is left out.', {
        signature: encodeBase58(transaction.signature),
        error: String(error),
      })
      return undefined
    }
  }

  return {
    /** Makes the events of a block, over several turns of the loop if it is long; updates the memory. */
    async make(block: Block<BlockTransaction>, memory: Memory): Promise<MadeBlock> {
      const receivedAt = clock.now()
      const batch: StreamEvent[] = []
      const all: (Decoded | undefined)[] = []
      let began = clock.elapsed()
      for (const [at, transaction] of block.transactions.entries()) {
        if (clock.elapsed() - began >= TURN_MS) {
          await setImmediate()
          began = clock.elapsed()
        }
        const decoded = isDecoded(transaction) ? transaction.decoded : decodeHere(transaction)
        all.push(decoded)
        if (!decoded) continue
        const prepared = isDecoded(transaction) ? transaction.prepared : undefined
        const events = enrich(decoded, { ...placeOf(block, at), receivedAt }, memory, prepared)
        for (const event of events) batch.push(event)
      }
      withSlotBuyers(batch)
      batch.push(endOf(block, receivedAt))
      return { block, batch, decoded: all }
    },

    /** Counts the published events of a block. @returns the lessons to learn from it */
    count({ block, decoded: all }: MadeBlock): readonly Lesson[] {
      const lessons: Lesson[] = []
      for (const [at, transaction] of block.transactions.entries()) {
        counts.transactions++
        if (transaction.failed) counts.failedTransactions++
        const decoded = all[at]
        if (!decoded) continue
        if (isDecoded(transaction)) count(transaction.calls, transaction.raw)
        figures.decoded.add(decoded)
        if (decoded.events.length > 0) lessons.push({ decoded, place: placeOf(block, at) })
      }
      return lessons
    },
  }
}

/** Returns the cursor position of a transaction's events; `at` is its index among those received. */
function placeOf({ run, slot, blockTime, transactions }: Block<BlockTransaction>, at: number) {
  const { index, signature } = transactions[at]!
  // Only part of a live block arrives, and reading it again must give the same cursors.
  const transactionIndex = run === LIVE_RUN ? (index ?? at) : at
  return { run, slot, blockTime, transactionIndex, signature }
}

/** Makes the event of the block itself, which comes after all others. */
function endOf({ run, slot, blockTime, hashes }: Block<BlockTransaction>, receivedAt: number) {
  const cursor = formatCursor({ run, slot, ...LAST_PLACE })
  return { kind: 'latestBlock', cursor, params: { block: slot, blockTime }, receivedAt, ...hashes } as const
}
