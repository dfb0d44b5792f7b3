import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import { formatCursor, LAST_PLACE, type StreamEvent } from '@pairwire/contract'
import { readRpcTransaction, type Transaction } from '@pairwire/decoders'
import { createIngest, type IngestParts } from '../create-ingest.ts'
import type { Arrivals, Block, Gap, Source } from '../sources/source.ts'
import { aRecord } from './a-record.ts'

/** Initial time of the clock of {@link setUp}. */
export const START = Date.UTC(2026, 10, 20)

/** A source that yields these blocks and ends. */
export function sourceOf(...blocks: (Block | Arrivals | Gap)[]): Source {
  return {
    simulated: true,
    blocks: async function* () {
      yield* blocks
    },
  }
}

export const aBlock = (slot: number, ...transactions: Transaction[]): Block => ({
  run: 1,
  slot,
  blockTime: START / 1000,
  transactions,
})

export const lastCursorOf = (slot: number) => formatCursor({ run: 1, slot, ...LAST_PLACE })

export const aTransaction = (id: number): Transaction => readRpcTransaction(aRecord(id))!

/** An ingest on a real bus, with what the bus received and what was logged. */
export function setUp(source: Source, parts: Partial<IngestParts> = {}) {
  const bus = createInProcessBus({ maxBytes: 1_000_000 })
  const batches: (readonly StreamEvent[])[] = []
  const logged: unknown[][] = []
  const log = (...line: unknown[]) => logged.push(line)
  bus.subscribe((batch) => batches.push(batch))
  const clock = createJumpingClock(START)
  const ingest = createIngest({ source, bus, clock, log: { info: log, warn: log, error: log }, ...parts })
  return { ingest, batches, logged, clock, bus }
}

/** Resolves when the source of a started ingest has ended. */
export async function ended(logged: unknown[][]): Promise<void> {
  while (!logged.some(([sentence]) => sentence === 'The source has ended.')) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}
