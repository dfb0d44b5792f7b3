import type { SourceState } from '@pairwire/contract'

/** A tenth of a second up to two, as block times are whole seconds; then coarser, up to ten minutes. */
const BOUNDS: readonly number[] = [
  ...Array.from({ length: 20 }, (_, step) => (step + 1) * 100),
  ...[
    2_500, 3_000, 4_000, 5_000, 6_000, 8_000, 10_000, 15_000, 20_000, 30_000, 60_000, 120_000, 300_000,
    600_000,
  ],
]

/** Counts how late events were, by upper bound; counts only ever grow, so that two readings can be subtracted. */
export function createLagHistogram() {
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
