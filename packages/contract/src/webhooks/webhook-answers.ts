import * as z from 'zod/mini'
import { WEBHOOK_STATES } from './webhook-calls.ts'

// The answers of the calls on webhooks, in zod's small build, since pages read them.

/** Present, and true, where the source is the simulator or a recording. */
const simulated = z.optional(z.literal(true))

/** Times are RFC 3339 in UTC. */
export const Webhook = z.object({
  id: z.string(),
  url: z.string(),
  kind: z.enum(['swap', 'newPair']),
  /** Those of the subscribe. */
  params: z.record(z.string(), z.unknown()),
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
  lastAttempt: z.nullable(
    z.object({
      at: z.string(),
      status: z.nullable(z.number()),
      ms: z.number(),
      error: z.nullable(z.string()),
    }),
  ),
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
  status: z.nullable(z.number()),
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
  status: z.nullable(z.number()),
  /** The begin of the last answer. */
  body: z.string(),
  /** Whether it waits to be sent once more. */
  queued: z.boolean(),
})
export type DeadLetter = z.infer<typeof DeadLetter>

/** The newest first. */
export const DeadLetters = z.object({ deadLetters: z.array(DeadLetter), simulated })
export type DeadLetters = z.infer<typeof DeadLetters>
