import * as z from 'zod'
import { Nothing } from '../answers.ts'
import { DeadLetters, Webhook, Webhooks, WebhookTest, WebhookWithSecret } from './webhook-answers.ts'
import { WEBHOOK_LIMITS as LIMITS, WEBHOOK_PATHS as PATHS } from './webhook-calls.ts'

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
const WebhookSeek = z.strictObject({ to: z.string() })

/** Every call on webhooks, by key or session: method, path, the shapes of its request and answer, and a status that is not 200. */
export const webhookRoutes = {
  listWebhooks: { ...PATHS.listWebhooks, answer: Webhooks },
  createWebhook: { ...PATHS.createWebhook, body: WebhookBody, answer: WebhookWithSecret, status: 201 },
  getWebhook: { ...PATHS.getWebhook, answer: Webhook },
  changeWebhook: { ...PATHS.changeWebhook, body: WebhookChange, answer: Webhook },
  deleteWebhook: { ...PATHS.deleteWebhook, answer: Nothing },
  testWebhook: { ...PATHS.testWebhook, answer: WebhookTest },
  rotateWebhook: { ...PATHS.rotateWebhook, answer: WebhookWithSecret },
  seekWebhook: { ...PATHS.seekWebhook, body: WebhookSeek, answer: Webhook },
  pauseWebhook: { ...PATHS.pauseWebhook, answer: Webhook },
  resumeWebhook: { ...PATHS.resumeWebhook, answer: Webhook },
  listDeadLetters: { ...PATHS.listDeadLetters, answer: DeadLetters },
  sendDeadLetter: { ...PATHS.sendDeadLetter, answer: Nothing, status: 202 },
  deleteDeadLetter: { ...PATHS.deleteDeadLetter, answer: Nothing },
} as const
