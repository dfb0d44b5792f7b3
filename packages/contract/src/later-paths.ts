/** Method and path of calls that the first page does not need, so that it does not load them. */
export const LATER_PATHS = {
  /** The hours of the archive, and what can be ordered. */
  history: { method: 'GET', path: '/api/history' },
  createOrder: { method: 'POST', path: '/api/history/orders' },
  listOrders: { method: 'GET', path: '/api/history/orders' },
  getOrder: { method: 'GET', path: '/api/history/orders/:id' },
  /** What a filter would have matched over the last hours. */
  tryFilter: { method: 'POST', path: '/api/filter/try' },
  /** What a key's plan allows. */
  keyPlan: { method: 'GET', path: '/v1/plan' },
  /** For the payment provider only, which signs its webhooks. */
  billingWebhook: { method: 'POST', path: '/api/billing/webhook' },
} as const
