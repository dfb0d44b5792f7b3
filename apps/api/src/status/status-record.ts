import * as z from 'zod'

const Count = z.number().nonnegative()

/** One measured minute. */
const Minute = z.object({
  /** Unix milliseconds of its start. */
  at: z.number().int(),
  /** Seconds of it that were measured. */
  seconds: Count,
  newPairs: Count,
  buys: Count,
  sells: Count,
  /** Median of the events' lag; null if unknown. */
  lagMedianMs: Count.nullable(),
  /** The lag that one event in a hundred exceeds. */
  lagSlowestMs: Count.nullable(),
  /** Events by exchange. */
  exchanges: z.record(z.string(), Count),
})
export type Minute = Readonly<z.infer<typeof Minute>>

/** Evidence of a day that the data was right and complete. */
const Proof = z.object({
  /** Events that were compared with the chain, and the wrong ones among them. */
  compared: Count,
  faults: Count,
  /** Slots in announced gaps. */
  missedSlots: Count,
  /** Calls of decoded programs, and those that no decoder knows. */
  calls: Count,
  unknownCalls: Count,
  /** Lag by exchange, milliseconds: the median, and what one event in a hundred exceeds. */
  lags: z.record(z.string(), z.object({ median: Count, slowest: Count })),
  /** Slots in announced gaps, by cause. Days of earlier versions have only `missedSlots`. */
  gaps: z.object({ upstream: Count, deploy: Count }).optional(),
  /** Mean share of new pairs whose token had a name within a minute, over this many measurements. */
  names: z.object({ measurements: Count, share: z.number() }).optional(),
})
export type Proof = Readonly<z.infer<typeof Proof>>

/** Seconds of a UTC day in each state; the rest of the day was not measured. */
const Day = z.object({
  day: z.string(),
  well: Count,
  late: Count,
  down: Count,
  proof: Proof.optional(),
})
export type Day = Readonly<z.infer<typeof Day>>

/** A time in which the service was not well. Times are Unix milliseconds. */
const Incident = z.object({
  state: z.enum(['late', 'down', 'partial']),
  cause: z.string(),
  from: z.number(),
  to: z.number(),
})
export type Incident = Readonly<z.infer<typeof Incident>>

/** Everything that the status page remembers, oldest first. */
export const StatusRecord = z.object({
  minutes: z.array(Minute),
  days: z.array(Day),
  incidents: z.array(Incident),
})
export type StatusRecord = Readonly<{
  minutes: readonly Minute[]
  days: readonly Day[]
  incidents: readonly Incident[]
}>
