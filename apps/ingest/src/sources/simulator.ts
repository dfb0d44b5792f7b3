import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '@pairwire/basics'
import { encodeBase58 } from '@pairwire/contract'
import { decodeTransaction, type Transaction } from '@pairwire/decoders'
import { type Decode, decodeEarly, isDecoded } from '../slot-keeper/block-transaction.ts'
import type { Block, EarlySink, Source } from './source.ts'

/** What {@link createSimulator} needs. */
type SimulatorOptions = Readonly<{
  seed: number
  swapsPerSecond: number
  clock: Clock
  nextRun(): Promise<number>
  /** Base address of its tokens' pages; without it they lead nowhere. */
  tokenPages?: string | undefined
}>

/** Milliseconds of a slot, and between two blocks. */
export const SLOT_MS = 400

/** The highest rate. */
export const MAX_SWAPS_PER_SECOND = 6_000

/** Unix milliseconds of slot 0, chosen so that the numbers look like those of the real chain. */
const FIRST_SLOT_MS = Date.UTC(2021, 5, 1)

/** Transactions made per turn, so that a full block does not block the process's sockets. */
const TRANSACTIONS_PER_TURN = 50

/** Slots caught up at once after a pause of the process; older ones are skipped. */
const MAX_SLOTS_BEHIND = 25

/** Pieces in which a slot is executed for early listeners. */
const PIECES = 8

/** About one in this many slots dies half executed, and is executed again. */
const SLOTS_PER_DEATH = 300

/**
 * A seeded market that makes transactions in the programs' own layouts, a block every {@link SLOT_MS}. The same seed
 * and the same clock give the same transactions. Slots follow the clock, so they rise across restarts. When the clock
 * is set back, they continue from their current value at the same pace. A block is executed during its slot if there
 * are early listeners, and confirmed at the end.
 */
export function createSimulator(options: SimulatorOptions): Source<Block> {
  return {
    simulated: true,
    blocks: (signal, _kept, decode, early) => blocks(options, signal, decode, early),
  }
}

async function* blocks(
  options: SimulatorOptions,
  signal: AbortSignal,
  decode: Decode = decodeTransaction,
  early?: EarlySink,
): AsyncIterable<Block> {
  const { clock } = options
  // Loaded here, so that a source of the real chain never loads the byte writers.
  const { createMarket } = await import('./simulator/market.ts')
  const { createRandom } = await import('./simulator/random.ts')
  const run = await options.nextRun()
  let slot = slotAt(clock.now())
  const { seed, swapsPerSecond, tokenPages } = options
  const firstBlockTime = blockTimeOf(slot)
  const market = createMarket({ seed, stream: slot, swapsPerSecond, firstBlockTime, tokenPages })
  // In one turn this would take most of a second, in which a service that starts answers nobody.
  while (!market.tradesBefore.next().done) await setImmediate()

  /** Milliseconds to the end of the slot. */
  let restMs = 0
  let parentBlockhash = blockhashOf(seed, slot - 1)
  while (!signal.aborted) {
    const blockTime = blockTimeOf(slot)
    const made: Transaction[] = []
    for (const { transaction } of market.block(slot, blockTime)) {
      if (made.push(transaction) % TRANSACTIONS_PER_TURN === 0) await setImmediate()
    }
    const blockhash = blockhashOf(seed, slot)
    const block = { run, slot, hashes: { blockhash, parentBlockhash }, blockTime, transactions: made }
    parentBlockhash = blockhash
    restMs = Math.min(restMs, SLOT_MS)
    if (early?.isWanted()) {
      const dies = createRandom(seed, slot).chance(1 / SLOTS_PER_DEATH)
      yield await execute(block, { dies, restMs, clock, signal, decode, early })
    } else {
      if (restMs > 0) await clock.wait(restMs, signal)
      yield block
    }

    slot++
    restMs = slot * SLOT_MS + FIRST_SLOT_MS - clock.now()
    if (restMs <= 0) slot = Math.max(slot, slotAt(clock.now()) - MAX_SLOTS_BEHIND)
  }
}

type Execution = Readonly<{
  /** Whether its first bank dies. */
  dies: boolean
  /** Milliseconds left of its slot. */
  restMs: number
  clock: Clock
  signal: AbortSignal
  decode: Decode
  early: EarlySink
}>

/** Executes a block in pieces. @returns it, with its decoded transactions */
async function execute(block: Block, execution: Execution): Promise<Block> {
  const { dies, restMs, clock, signal, decode, early } = execution
  const { run, slot, blockTime } = block
  const transactions = block.transactions.map((transaction) => {
    const decoded = decodeEarly(transaction, decode)
    return isDecoded(decoded) ? { ...transaction, ...decoded } : transaction
  })
  const began = clock.elapsed()
  const toDeath = dies ? PIECES / 2 : 0
  for (let piece = 0; piece < PIECES && !signal.aborted; piece++) {
    if (dies && piece === toDeath) early.died({ run, slot, source: 0, bank: 1 })
    const bank = { run, slot, source: 0, bank: dies && piece >= toDeath ? 2 : 1, blockTime }
    // A bank that dies gets to half of it; the next one has half of the time for all of it.
    const [done, all] = bank.bank === 2 ? [piece - toDeath, PIECES - toDeath] : [piece, PIECES]
    const at = (share: number) => Math.floor((transactions.length * share) / all)
    for (const transaction of transactions.slice(at(done), at(done + 1))) {
      if (isDecoded(transaction)) early.executed(bank, transaction)
    }
    const dueMs = began + (restMs * (piece + 1)) / PIECES - clock.elapsed()
    if (dueMs > 0) await clock.wait(dueMs, signal)
  }
  return { ...block, transactions }
}

/** Made up in the chain's form, the same at each start. */
function blockhashOf(seed: number, slot: number): string {
  return encodeBase58(createHash('sha256').update(`${seed} ${slot}`).digest())
}

/** Unix seconds of a slot. */
export function blockTimeOf(slot: number): number {
  return Math.floor((slot * SLOT_MS + FIRST_SLOT_MS) / 1000)
}

function slotAt(milliseconds: number): number {
  return Math.floor((milliseconds - FIRST_SLOT_MS) / SLOT_MS)
}
