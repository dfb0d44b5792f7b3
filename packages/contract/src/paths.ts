/** Method and path of every call of the HTTP API: `routes` without schemas, for callers that load no schema library. */
export const PATHS = {
  authenticate: { method: 'POST', path: '/api/authenticate' },
  login: { method: 'POST', path: '/api/login' },
  register: { method: 'POST', path: '/api/register' },
  captcha: { method: 'GET', path: '/api/captcha' },
  logout: { method: 'POST', path: '/api/logout' },
  logoutAll: { method: 'POST', path: '/api/logoutall' },
  config: { method: 'GET', path: '/api/config' },
  systemStatus: { method: 'GET', path: '/api/systemstatus' },
  getAccount: { method: 'GET', path: '/api/account' },
  deleteAccount: { method: 'DELETE', path: '/api/account/delete' },
  disconnect: { method: 'POST', path: '/api/disconnect' },
  resetKey: { method: 'POST', path: '/api/resetkey' },
  logos: { method: 'POST', path: '/api/logos' },
  tokens: { method: 'GET', path: '/api/tokens' },
  usage: { method: 'GET', path: '/api/usage' },
  connections: { method: 'GET', path: '/api/connections' },
  closeConnection: { method: 'POST', path: '/api/connections/close' },
  startTrial: { method: 'POST', path: '/api/subscription/starttrial' },
  /** Answered only by a service that sells plans. */
  manageSubscription: { method: 'GET', path: '/api/subscription/manage' },
  /** Answered only if the checkout is a page; other providers open theirs in the browser. */
  checkout: { method: 'POST', path: '/api/subscription/checkout' },
} as const

/** Address of every page of the dashboard; any other one below /dashboard redirects to /404. */
export const PAGE_PATHS = [
  '/dashboard',
  '/dashboard/account',
  '/dashboard/console',
  '/dashboard/upgrade',
  '/dashboard/historical',
  '/dashboard/historical/shop',
  '/dashboard/historical/orders',
  '/dashboard/guides',
  '/dashboard/help',
  '/dashboard/login',
  '/dashboard/register',
  '/dashboard/payment',
  '/logout',
] as const

/** One of {@link PAGE_PATHS}. */
export type PagePath = (typeof PAGE_PATHS)[number]

/** Where people heard of the service, in the order of the form. */
export const ORIGINS = ['reddit_post', 'reddit_ads', 'google_search', 'friend', 'other'] as const

/** One of {@link ORIGINS}. */
export type Origin = (typeof ORIGINS)[number]
