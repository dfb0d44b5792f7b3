import * as z from 'zod'
import { WEBHOOK_LIMITS as LIMITS, WEBHOOK_STATES } from './webhook-calls.ts'

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

/** Present, and true, where the source is the simulator or a recording. */
const simulated = z.literal(true).optional()

/** Times are RFC 3339 in UTC. */
export const Webhook = z.object({
  id: z.string(),
  url: z.string(),
  kind: z.enum(['swap', 'newPair']),
  params: Params,
  maxEvents: z.number(),
  maxWaitMs: z.number(),
  state: z.enum(WEBHOOK_STATES),
  createdAt: z.string(),
  /** Messages that were taken, the events in them, tries that failed, and dead letters ever. */
  counters: z.object({
    delivered: z.number(),
    events: z.number(),
    failed: z.number(),
    deadLetters: z.number(),
  }),
  /** `status` null without an answer; `error` null after success. */
  lastAttempt: z
    .object({
      at: z.string(),
      status: z.number().nullable(),
      ms: z.number(),
      error: z.string().nullable(),
    })
    .nullable(),
  /** Milliseconds since the oldest event that it has not taken arrived; 0 while there is none. */
  behindMs: z.number(),
  simulated,
})
export type Webhook = z.infer<typeof Webhook>

/** An endpoint with its secret: `whsec_` and base64 of 32 bytes. */
export const WebhookWithSecret = z.object({ ...Webhook.shape, secret: z.string() })
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>

/** All endpoints, oldest first, and how many the plan allows: 0 without one. */
export const Webhooks = z.object({ webhooks: z.array(Webhook), limit: z.number(), simulated })
export type Webhooks = z.infer<typeof Webhooks>

/** What became of a sample. `status` null without an answer; `body` is then why. */
export const WebhookTest = z.object({
  status: z.number().nullable(),
  ms: z.number(),
  body: z.string(),
  simulated,
})
export type WebhookTest = z.infer<typeof WebhookTest>

/** A message that was refused for good. */
export const DeadLetter = z.object({
  n: z.number(),
  at: z.string(),
  /** Cursors of its first and last event. */
  first: z.string(),
  last: z.string(),
  events: z.number(),
  status: z.number().nullable(),
  /** The begin of the last answer. */
  body: z.string(),
  /** Whether it waits to be sent once more. */
  queued: z.boolean(),
})
export type DeadLetter = z.infer<typeof DeadLetter>

/** The newest first. */
export const DeadLetters = z.object({ deadLetters: z.array(DeadLetter), simulated })
export type DeadLetters = z.infer<typeof DeadLetters>

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
  simulated,
})
export type WebhookMessage = z.infer<typeof WebhookMessage>
