import { z } from 'zod'

const Count = z.number().nonnegative()

/** One measured minute. */
const Minute = z.object({
  /** Unix milliseconds of its begin. */
  at: z.number().int(),
  /** Seconds that were measured of it. */
  seconds: Count,
  newPairs: Count,
  buys: Count,
  sells: Count,
  /** Median of the events' lag; null where none is known. */
  lagMedianMs: Count.nullable(),
  /** The lag that one event in a hundred exceeds. */
  lagSlowestMs: Count.nullable(),
  /** Events by exchange. */
  exchanges: z.record(z.string(), Count),
})
export type Minute = Readonly<z.infer<typeof Minute>>

/** Seconds of a UTC day in each state; what is missing of the day was not measured. */
const Day = z.object({ day: z.string(), well: Count, late: Count, down: Count })
export type Day = Readonly<z.infer<typeof Day>>

/** A time in which the service was not well. Times are Unix milliseconds. */
const Incident = z.object({
  state: z.enum(['late', 'down']),
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
