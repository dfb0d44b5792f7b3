import * as z from 'zod'
import { WEBHOOK_LIMITS as LIMITS } from './webhook-calls.ts'

const Url = z.string().max(LIMITS.urlLength)
/** Those of the subscribe; the stream's own sentences refuse what is wrong in them. */
const Params = z.record(z.string(), z.unknown())
const MaxEvents = z.int().min(1).max(LIMITS.eventsMost)
const MaxWaitMs = z.int().min(0).max(LIMITS.waitMostMs)

/** An endpoint to create. */
export const WebhookBody = z.strictObject({
  url: Url,
  kind: z.enum(['swap', 'newPair']),
  params: Params.nullish(),
  maxEvents: MaxEvents.default(LIMITS.eventsUsual),
  maxWaitMs: MaxWaitMs.default(LIMITS.waitUsualMs),
})
export type WebhookBody = z.infer<typeof WebhookBody>

/** What to change of an endpoint; what is absent stays. */
export const WebhookChange = z.strictObject({
  url: Url.optional(),
  params: Params.optional(),
  maxEvents: MaxEvents.optional(),
  maxWaitMs: MaxWaitMs.optional(),
})
export type WebhookChange = z.infer<typeof WebhookChange>

/** Where to go on: after the event of this cursor, from the oldest that is kept, or with the next one. */
export const WebhookSeek = z.strictObject({ to: z.string() })

/** The body of a post. Its events are frames of the stream without `subscription_id`, in chain order. */
export const WebhookMessage = z.object({
  type: z.enum(['swap', 'newPair', 'gap', 'test']),
  /** When it was noted: the same in every try. */
  timestamp: z.string(),
  data: z.object({
    endpoint: z.string(),
    first: z.string().nullable(),
    last: z.string().nullable(),
    events: z.array(
      z.object({
        method: z.string(),
        params: z.record(z.string(), z.unknown()),
        cursor: z.string().optional(),
        facts: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  }),
  /** Present where the source is the simulator or a recording. */
  simulated: z.literal(true).optional(),
})
export type WebhookMessage = z.infer<typeof WebhookMessage>
