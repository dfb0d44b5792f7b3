import { setImmediate } from 'node:timers/promises'
import type { Transaction } from '@pairwire/decoders'
import type { Clock } from '../clock.ts'
import type { Block, Source } from './source.ts'

/** What {@link createSimulator} needs. */
export type SimulatorOptions = Readonly<{
  seed: number
  swapsPerSecond: number
  clock: Clock
  nextRun(): Promise<number>
  /** What the addresses of its tokens' pages begin with; they lead nowhere without. */
  tokenPages?: string | undefined
}>

/** Length of a slot; blocks come at this pace. */
export const SLOT_MS = 400

/** The most that it makes. */
export const MAX_SWAPS_PER_SECOND = 6_000

/** Unix milliseconds of slot 0, chosen so that the numbers look like those of the real chain. */
const FIRST_SLOT_MS = Date.UTC(2021, 5, 1)

/** Transactions made at a stretch, so that a full block does not hold up the sockets of the same process. */
const TRANSACTIONS_PER_TURN = 50

/** Slots made up for at once when the process was held up; what lies further back is left out. */
const MAX_SLOTS_BEHIND = 25

/**
 * A seeded market that makes transactions in the programs' own layouts, a block every {@link SLOT_MS}. The same
 * seed and the same clock give the same transactions. Slots are the clock's, so they rise across restarts. When the
 * clock is set back they go on from where they are, at the same pace.
 */
export function createSimulator(options: SimulatorOptions): Source<Block> {
  return { simulated: true, blocks: (signal) => blocks(options, signal) }
}

async function* blocks(options: SimulatorOptions, signal: AbortSignal): AsyncIterable<Block> {
  const { clock } = options
  // Loaded here, so that a source of the real chain never loads what writes bytes.
  const { createMarket } = await import('./simulator/market.ts')
  const run = await options.nextRun()
  let slot = slotAt(clock.now())
  const { seed, swapsPerSecond, tokenPages } = options
  const firstBlockTime = blockTimeOf(slot)
  const market = createMarket({ seed, stream: slot, swapsPerSecond, firstBlockTime, tokenPages })

  while (!signal.aborted) {
    const blockTime = blockTimeOf(slot)
    const transactions: Transaction[] = []
    for (const made of market.block(slot, blockTime)) {
      if (transactions.push(made.transaction) % TRANSACTIONS_PER_TURN === 0) await setImmediate()
    }
    yield { run, slot, blockTime, transactions }

    slot++
    const early = slot * SLOT_MS + FIRST_SLOT_MS - clock.now()
    if (early > 0) await clock.wait(Math.min(early, SLOT_MS), signal)
    else slot = Math.max(slot, slotAt(clock.now()) - MAX_SLOTS_BEHIND)
  }
}

/** Unix seconds. */
function blockTimeOf(slot: number): number {
  return Math.floor((slot * SLOT_MS + FIRST_SLOT_MS) / 1000)
}

function slotAt(milliseconds: number): number {
  return Math.floor((milliseconds - FIRST_SLOT_MS) / SLOT_MS)
}
