/** Method and path of the calls on webhooks, for callers that load no schema library. `:n` numbers a dead letter. */
export const WEBHOOK_PATHS = {
  listWebhooks: { method: 'GET', path: '/v1/webhooks' },
  createWebhook: { method: 'POST', path: '/v1/webhooks' },
  getWebhook: { method: 'GET', path: '/v1/webhooks/:id' },
  changeWebhook: { method: 'PATCH', path: '/v1/webhooks/:id' },
  deleteWebhook: { method: 'DELETE', path: '/v1/webhooks/:id' },
  testWebhook: { method: 'POST', path: '/v1/webhooks/:id/test' },
  rotateWebhook: { method: 'POST', path: '/v1/webhooks/:id/rotate' },
  seekWebhook: { method: 'POST', path: '/v1/webhooks/:id/seek' },
  pauseWebhook: { method: 'POST', path: '/v1/webhooks/:id/pause' },
  resumeWebhook: { method: 'POST', path: '/v1/webhooks/:id/resume' },
  listDeadLetters: { method: 'GET', path: '/v1/webhooks/:id/deadletters' },
  sendDeadLetter: { method: 'POST', path: '/v1/webhooks/:id/deadletters/:n/send' },
  deleteDeadLetter: { method: 'DELETE', path: '/v1/webhooks/:id/deadletters/:n' },
} as const

/** Limits of webhooks that the docs promise and the api enforces. */
export const WEBHOOK_LIMITS = {
  eventsMost: 100,
  eventsUsual: 25,
  waitMostMs: 5_000,
  waitUsualMs: 250,
  /** Bytes of the body of one message; a single event that is larger goes alone. */
  messageBytes: 256 * 1024,
  /** Milliseconds within which the receiver answers. */
  answerMs: 10_000,
  /** The same for a sample, for which somebody waits. */
  testMs: 8_000,
  /** Bytes of an answer that are read, and characters of it that are shown. */
  answerBytes: 4 * 1024,
  answerShown: 500,
  urlLength: 2_048,
  /** Milliseconds for which the secret before still signs. */
  oldSecretMs: 24 * 60 * 60_000,
  /** Dead letters of an endpoint that are kept. */
  deadLetters: 1_000,
  /** Failed messages in a row that stop an endpoint. */
  deadInRow: 100,
  /** Samples that an account may send in a minute. */
  testsPerMinute: 10,
} as const

/** Why an endpoint gets nothing: it is paused by its owner, or stopped by the service after failures. */
export const WEBHOOK_STATES = ['on', 'failing', 'paused', 'stopped'] as const
export type WebhookState = (typeof WEBHOOK_STATES)[number]
