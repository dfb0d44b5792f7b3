import { currentSession } from './session/session.ts'
import { type LazyRoute, lazyRoute } from './shell/lazy-route.tsx'

/** A page of the dashboard and its address. */
export type PageRoute = Readonly<{
  path: string
  page: LazyRoute
  /** Signed out, the login form stands in its place and the address stays. */
  signedIn?: true
}>

const account = lazyRoute(() => import('./routes/account.tsx'))
const shop = lazyRoute(() => import('./routes/historical-shop.tsx'))

/** The login form: a page of its own, and the stand-in for every page that requires sign-in. */
export const login = lazyRoute(() => import('./routes/login.tsx'))

/** Every page, its code in a chunk of its own that is fetched when the page is asked for. */
export const PAGE_ROUTES: readonly PageRoute[] = [
  { path: '/dashboard', page: account, signedIn: true },
  { path: '/dashboard/account', page: account, signedIn: true },
  { path: '/dashboard/console', page: lazyRoute(() => import('./routes/console.tsx')), signedIn: true },
  { path: '/dashboard/upgrade', page: lazyRoute(() => import('./routes/upgrade.tsx')), signedIn: true },
  { path: '/dashboard/historical', page: shop },
  { path: '/dashboard/historical/shop', page: shop },
  {
    path: '/dashboard/historical/orders',
    page: lazyRoute(() => import('./routes/historical-orders.tsx')),
    signedIn: true,
  },
  { path: '/dashboard/guides', page: lazyRoute(() => import('./routes/guides.tsx')) },
  { path: '/dashboard/help', page: lazyRoute(() => import('./routes/help.tsx')) },
  { path: '/dashboard/login', page: login },
  { path: '/dashboard/register', page: lazyRoute(() => import('./routes/register.tsx')) },
  { path: '/dashboard/payment', page: lazyRoute(() => import('./routes/payment.tsx')) },
  { path: '/logout', page: lazyRoute(() => import('./routes/logout.tsx')) },
  { path: '/404', page: lazyRoute(() => import('./routes/not-found.tsx')) },
]

/** Fetches the code of the page at `path` ahead of its drawing; an unknown path fetches nothing. */
export async function preloadRoute(path: string): Promise<void> {
  const route = PAGE_ROUTES.find((candidate) => candidate.path === path)
  if (!route) return
  const page = route.signedIn && !currentSession() ? login : route.page
  // A failure here is silent: drawing the page tries again and shows it.
  await page.preload().catch(() => {})
}
