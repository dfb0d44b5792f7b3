import { Nothing } from '../answers.ts'
import { DeadLetters, Webhook, Webhooks, WebhookTest, WebhookWithSecret } from './webhook-answers.ts'
import { WEBHOOK_PATHS as PATHS } from './webhook-calls.ts'
import { WebhookBody, WebhookChange, WebhookSeek } from './webhooks.ts'

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
