import { lazyRoute } from './shell/lazy-route.ts'

/** The code of every page, each in a chunk of its own that is fetched when the page is asked for. */
export const pages = {
  account: lazyRoute(() => import('./routes/account.tsx')),
  console: lazyRoute(() => import('./routes/console.tsx')),
  guides: lazyRoute(() => import('./routes/guides.tsx')),
  help: lazyRoute(() => import('./routes/help.tsx')),
  login: lazyRoute(() => import('./routes/login.tsx')),
  logout: lazyRoute(() => import('./routes/logout.tsx')),
  notFound: lazyRoute(() => import('./routes/not-found.tsx')),
  orders: lazyRoute(() => import('./routes/historical-orders.tsx')),
  payment: lazyRoute(() => import('./routes/payment.tsx')),
  register: lazyRoute(() => import('./routes/register.tsx')),
  shop: lazyRoute(() => import('./routes/historical-shop.tsx')),
  upgrade: lazyRoute(() => import('./routes/upgrade.tsx')),
} as const

/** Fetches the code of the page at `path` ahead of a press on its link. */
export function preloadRoute(path: string): void {
  const page = BY_PATH[path]
  // A failure here is silent: pressing the link tries again and shows it.
  page?.preload().catch(() => {})
}

const BY_PATH: Readonly<Record<string, (typeof pages)[keyof typeof pages]>> = {
  '/dashboard/account': pages.account,
  '/dashboard/console': pages.console,
  '/dashboard/help': pages.help,
}
