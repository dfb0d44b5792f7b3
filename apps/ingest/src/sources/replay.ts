import type { Clock, Log } from '@pairwire/basics'
import { readRpcTransaction, type Transaction } from '@pairwire/decoders'
import { type ChainPlace, createChainOrder } from '../recording/chain-order.ts'
import { readRecording } from '../recording/read-recording.ts'
import { createSortedLines, type SortedLines } from '../recording/sorted-lines.ts'
import type { Block, Source } from './source.ts'

/** What {@link createReplay} needs. */
export type ReplayOptions = Readonly<{
  /** File or folder. */
  path: string
  /** Speed as a multiple of the recording's. */
  speed: number
  /** Whether it starts over at its end. */
  isLooping: boolean
  clock: Clock
  nextRun(): Promise<number>
  /** Logs once what in the recording is no transaction. */
  log?: Log
}>

/** Milliseconds of a slot, and the longest pause between two blocks of a recording. */
const SLOT_MS = 400
const MAX_PAUSE_MS = 400

/** A recording, block by block at the pace of its slots. Every start and every loop is its own run. */
export function createReplay(options: ReplayOptions): Source<Block> {
  let hasReported = false
  const report = ({ count, first }: Refusals) => {
    if (hasReported || count === 0) return
    hasReported = true
    options.log?.warn(`${count} values of the recording are not transactions and are left out.`, { first })
  }
  return { simulated: true, isRecording: true, blocks: (signal) => blocks(options, report, signal) }
}

async function* blocks(
  options: ReplayOptions,
  report: (refusals: Refusals) => void,
  signal: AbortSignal,
): AsyncIterable<Block> {
  const { clock, speed } = options
  const { lines, first, count, refusals } = await loadRecording(options.path, signal)
  try {
    report(refusals)
    if (signal.aborted) return
    if (count === 0) throw new Error(`The recording ${options.path} holds no transaction.`)

    do {
      const run = await options.nextRun()
      let lastSlot: number | undefined
      let blockTime = first.blockTime ?? Math.floor(clock.now() / 1000)
      for await (const { slot, transactions } of groupBySlot(lines, first.slot ?? 1)) {
        if (lastSlot !== undefined) await clock.wait(pauseBetween(lastSlot, slot, speed), signal)
        if (signal.aborted) return

        lastSlot = slot
        blockTime = transactions.find((each) => each.blockTime !== null)?.blockTime ?? blockTime
        yield { run, slot, blockTime, transactions }
      }
      if (options.isLooping) await clock.wait(MAX_PAUSE_MS / Math.max(1, speed), signal)
    } while (options.isLooping && !signal.aborted)
  } finally {
    await lines.close()
  }
}

/** Milliseconds between two blocks: at most a slot, scaled by the speed, and never more than a slot. */
function pauseBetween(before: number, after: number, speed: number): number {
  const recorded = Math.min(MAX_PAUSE_MS, (after - before) * SLOT_MS)
  return Math.min(MAX_PAUSE_MS, recorded / speed)
}

/** Values that are no transactions: their number, and the first few names. */
type Refusals = { count: number; first: string[] }

/** Number of refusals that are named. */
const NAMED_REFUSALS = 5

/** Loads the transactions; `first` has the first known slot and block time in replay order, for earlier ones without them. */
async function loadRecording(path: string, signal: AbortSignal) {
  const lines = createSortedLines()
  const refusals: Refusals = { count: 0, first: [] }
  const placeOf = createChainOrder()
  let slot: number | null = null
  let earliest: { place: ChainPlace; blockTime: number } | undefined
  let count = 0
  for await (const recorded of readRecording(path)) {
    if (signal.aborted) break
    if ('refusal' in recorded) {
      refusals.count++
      if (refusals.first.length < NAMED_REFUSALS)
        refusals.first.push(`${recorded.place}: ${recorded.refusal}`)
      continue
    }
    const { transaction, record } = recorded
    const place = placeOf(transaction)
    count++
    if (transaction.slot !== null && (slot === null || transaction.slot < slot)) slot = transaction.slot
    if (transaction.blockTime !== null && (!earliest || place.slot < earliest.place.slot)) {
      earliest = { place, blockTime: transaction.blockTime }
    }
    await lines.add({ place, line: JSON.stringify(record) })
  }
  return { lines, first: { slot, blockTime: earliest?.blockTime ?? null }, count, refusals }
}

/** Groups transactions by slot; `firstSlot` is for the first ones, which have none. */
async function* groupBySlot(
  lines: SortedLines,
  firstSlot: number,
): AsyncIterable<{ slot: number; transactions: Transaction[] }> {
  let group: { slot: number; transactions: Transaction[] } | undefined
  for await (const { place, line } of lines.read()) {
    const transaction = readRpcTransaction(JSON.parse(line))
    if (!transaction) continue // it was one when it was loaded
    const slot = place.slot === 0 ? firstSlot : place.slot
    if (group && group.slot !== slot) {
      yield group
      group = undefined
    }
    group ??= { slot, transactions: [] }
    group.transactions.push(transaction)
  }
  if (group) yield group
}
