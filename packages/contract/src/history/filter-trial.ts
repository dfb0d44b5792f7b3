import * as z from 'zod/mini'

/** What a filter would have matched over the last complete hours. */
export const FilterTrial = z.object({
  from: z.string(),
  to: z.string(),
  matched: z.int(),
  total: z.int(),
  /** Newest first. */
  byHour: z.array(z.object({ hour: z.string(), matched: z.int(), total: z.int() })),
  busiestMinute: z.nullable(z.object({ at: z.string(), matched: z.int() })),
  /** Matches in 30 days at this rate. */
  perMonth: z.int(),
  /** The newest matches as frames, newest first, 20 at most. */
  sample: z.array(z.unknown()),
  plans: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      allowed: z.boolean(),
      /** The sentence with which the stream would refuse the filter; null if it is allowed. */
      reason: z.nullable(z.string()),
      /** `perMonth` divided by the plan's events; null without a cap. */
      share: z.nullable(z.number()),
    }),
  ),
  /** Id of the cheapest plan that allows the filter and is not used up by it; null if none does. */
  cheapest: z.nullable(z.int()),
})
export type FilterTrial = z.infer<typeof FilterTrial>
