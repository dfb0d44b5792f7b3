/** Method and path of the calls that the first page does without: they are no part of what it loads. */
export const LATER_PATHS = {
  /** What of the archive there is, and what can be ordered. */
  history: { method: 'GET', path: '/api/history' },
  createOrder: { method: 'POST', path: '/api/history/orders' },
  listOrders: { method: 'GET', path: '/api/history/orders' },
  getOrder: { method: 'GET', path: '/api/history/orders/:id' },
  /** What a filter would have matched over the last hours. */
  tryFilter: { method: 'POST', path: '/api/filter/try' },
  /** For the payment provider alone, which signs what it sends. */
  billingWebhook: { method: 'POST', path: '/api/billing/webhook' },
} as const
