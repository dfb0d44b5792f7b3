import type { WebhookBody, WebhookChange } from '@pairwire/contract'
import { DeadLetters, Webhooks, WebhookTest, WebhookWithSecret } from '@pairwire/contract/webhook-answers'
import { WEBHOOK_PATHS } from '@pairwire/contract/webhook-calls'
import { callApi } from './http-client.ts'
import { readAnswer } from './read-answer.ts'

/** Milliseconds between two reads while a page is in view. */
export const READ_EVERY_MS = 5_000

/** The calls about webhooks; separate from `api`, since the first page does not need them. */
export const webhookApi = {
  list: async () => readAnswer(Webhooks, await call('listWebhooks')),
  create: async (body: WebhookBody) =>
    readAnswer(WebhookWithSecret, await call('createWebhook', '', { body })),
  change: (id: string, body: WebhookChange) => call('changeWebhook', id, { body }),
  delete: (id: string) => call('deleteWebhook', id),
  test: async (id: string) => readAnswer(WebhookTest, await call('testWebhook', id)),
  rotate: async (id: string) => readAnswer(WebhookWithSecret, await call('rotateWebhook', id)),
  seek: (id: string, to: string) => call('seekWebhook', id, { body: { to } }),
  pause: (id: string) => call('pauseWebhook', id),
  resume: (id: string) => call('resumeWebhook', id),
  deadLetters: async (id: string) => readAnswer(DeadLetters, await call('listDeadLetters', id)),
  sendDeadLetter: (id: string, n: number) => call('sendDeadLetter', id, { n }),
  deleteDeadLetter: (id: string, n: number) => call('deleteDeadLetter', id, { n }),
} as const

function call(
  name: keyof typeof WEBHOOK_PATHS,
  id = '',
  { n = 0, body }: { n?: number; body?: unknown } = {},
) {
  const { method, path } = WEBHOOK_PATHS[name]
  return callApi({ method, path: path.replace(':id', id).replace(':n', String(n)) }, { session: true, body })
}
