import type { ProofState, SourceState } from '@pairwire/contract'
import { quantile } from './quantile.ts'
import type { Proof } from './status-record.ts'

/** Adds the growth of the counters to the proof of a day. */
type ProofSums = Readonly<{
  /** @param before the sums of the day so far, by this process or an earlier one */
  add(day: string, before: Proof | undefined, source: SourceState, proof: ProofState): Proof
}>

type Counts = Pick<Proof, 'compared' | 'faults' | 'missedSlots' | 'calls' | 'unknownCalls'>
type Gaps = NonNullable<Proof['gaps']>

const NOTHING: Counts = { compared: 0, faults: 0, missedSlots: 0, calls: 0, unknownCalls: 0 }
const NO_GAPS: Gaps = { upstream: 0, deploy: 0 }

/** Counts what the counters of `source`, which may be of another process, have not counted yet. */
export function createProofSums(source: SourceState): ProofSums {
  let counted = source.proof ? countsOf(source, source.proof) : NOTHING
  let countedGaps = source.proof?.gapSlots ?? NO_GAPS
  let day: string | undefined
  /** The lag counts at the start of the day, of this process or of the source's. */
  let atBegin = source.proof?.lagsByExchange ?? {}
  let latest: ProofState['lagsByExchange'] = {}

  return {
    add(today, before, source, proof) {
      if (day !== undefined && day !== today) atBegin = latest
      day = today
      latest = proof.lagsByExchange
      const now = countsOf(source, proof)
      const gapsNow = proof.gapSlots ?? NO_GAPS
      if (hasFallen(counted, now) || hasFallen(countedGaps, gapsNow)) {
        counted = NOTHING
        countedGaps = NO_GAPS
        atBegin = {}
      }
      const sums = { ...NOTHING, ...before }
      for (const name of Object.keys(NOTHING) as (keyof Counts)[]) sums[name] += now[name] - counted[name]
      const gaps = { ...NO_GAPS, ...before?.gaps }
      for (const cause of Object.keys(NO_GAPS) as (keyof Gaps)[])
        gaps[cause] += gapsNow[cause] - countedGaps[cause]
      counted = now
      countedGaps = gapsNow
      const names = withShare(before?.names, source.metadata?.nameWithin60s ?? null)
      return {
        ...{ ...sums, lags: { ...before?.lags, ...lagsSince(atBegin, latest) }, gaps },
        ...(names ? { names } : {}),
      }
    },
  }
}

/** Whether some counter is lower than before: its process has begun again, and counts from nothing. */
export function hasFallen<Counters extends Readonly<Record<string, number>>>(
  before: Counters,
  now: Counters,
): boolean {
  return Object.keys(before).some((name) => (now[name] ?? 0) < before[name]!)
}

function countsOf({ live }: SourceState, { programs, audit }: ProofState): Counts {
  const counts = { ...NOTHING, missedSlots: live?.slotsMissed ?? 0 }
  for (const { understood, unknown } of Object.values(programs)) {
    counts.calls += understood + unknown
    counts.unknownCalls += unknown
  }
  if (!audit) return counts
  return { ...counts, compared: audit.events, faults: audit.missing + audit.extra + audit.different }
}

function withShare(before: Proof['names'], share: number | null): Proof['names'] {
  if (share === null) return before
  const { measurements, share: mean } = before ?? { measurements: 0, share: 0 }
  return { measurements: measurements + 1, share: (mean * measurements + share) / (measurements + 1) }
}

function lagsSince(begin: ProofState['lagsByExchange'], now: ProofState['lagsByExchange']): Proof['lags'] {
  const lags: Record<string, { median: number; slowest: number }> = {}
  for (const [exchange, { bounds, counts }] of Object.entries(now)) {
    const since = counts.map((count, bucket) => count - (begin[exchange]?.counts[bucket] ?? 0))
    const median = quantile(bounds, since, 0.5)
    const slowest = quantile(bounds, since, 0.99)
    if (median === undefined || slowest === undefined) continue
    lags[exchange] = { median: Math.round(median), slowest: Math.round(slowest) }
  }
  return lags
}
