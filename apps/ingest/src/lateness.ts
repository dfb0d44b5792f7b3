import type { Clock, Log } from '@pairwire/basics'
import type { SourceState } from '@pairwire/contract'

/** Milliseconds without a block that are normal; blocks come every 0.4 s. */
const SILENT_MS = 2_000

/** Milliseconds behind the clock above which the log reports it, and below which the source has caught up. */
const LATE_MS = 5_000
const CAUGHT_UP_MS = 2_500

/** Measures how late events are by the clock, and logs when the source falls behind and when it has caught up. */
export function createLateness(clock: Pick<Clock, 'now' | 'elapsed'>, log: Log) {
  const lags = createLagHistogram()
  const lagsByExchange = new Map<string, ReturnType<typeof createLagHistogram>>()
  let lagMs: number | null = null
  let blockAheadMs = 0
  let isLate = false
  /** When the newest block arrived, in `elapsed` time. */
  let cameAt = 0

  const lagsOf = (exchange: string) => {
    const known = lagsByExchange.get(exchange) ?? createLagHistogram()
    lagsByExchange.set(exchange, known)
    return known
  }

  const tell = (milliseconds: number): void => {
    if (isLate ? milliseconds > CAUGHT_UP_MS : milliseconds <= LATE_MS) return
    isLate = !isLate
    if (!isLate) log.info('The source has caught up with the clock.')
    else log.warn(`Blocks arrive late: the source is ${Math.round(milliseconds / 1_000)} s behind the clock.`)
  }

  const lagNow = (isUp: boolean): number | null => {
    if (lagMs === null) return null
    const silentMs = clock.elapsed() - cameAt
    return silentMs > SILENT_MS && isUp ? lagMs + silentMs : lagMs
  }

  return {
    /**
     * Records a block of `blockTime` (Unix seconds) published at `at` (Unix milliseconds), with its number of events, in
     * total and by exchange.
     */
    came(blockTime: number, at: number, events: number, byExchange: ReadonlyMap<string, number>): void {
      cameAt = clock.elapsed()
      lagMs = Math.max(0, at - blockTime * 1000)
      blockAheadMs = Math.max(0, blockTime * 1000 - at)
      lags.add(lagMs, events)
      for (const [exchange, count] of byExchange) lagsOf(exchange).add(lagMs, count)
      tell(lagMs)
    },
    /** `isUp`: whether blocks are arriving, so that a silent source also falls behind. Empty for a recording. */
    read: (isUp: boolean) => ({
      ...{ lagMs: lagNow(isUp), blockAheadMs },
      lags: lags.read(),
      lagsByExchange: Object.fromEntries(
        [...lagsByExchange].map(([exchange, each]) => [exchange, each.read()]),
      ),
    }),
  }
}

/** A tenth of a second up to two, as block times are whole seconds; then coarser, up to ten minutes. */
const BOUNDS: readonly number[] = [
  ...Array.from({ length: 20 }, (_, step) => (step + 1) * 100),
  ...[
    2_500, 3_000, 4_000, 5_000, 6_000, 8_000, 10_000, 15_000, 20_000, 30_000, 60_000, 120_000, 300_000,
    600_000,
  ],
]

/** Counts how late events were, by upper bound; counts only ever grow, so that two readings can be subtracted. */
function createLagHistogram() {
  const counts: number[] = new Array(BOUNDS.length + 1).fill(0)
  let sum = 0
  return {
    /** Counts `events` that were `lagMs` late. */
    add(lagMs: number, events: number): void {
      const bucket = BOUNDS.findIndex((bound) => lagMs <= bound)
      const place = bucket === -1 ? BOUNDS.length : bucket
      counts[place] = (counts[place] ?? 0) + events
      sum += lagMs * events
    },
    read: (): SourceState['lags'] => ({ bounds: BOUNDS, counts: [...counts], sum }),
  }
}
