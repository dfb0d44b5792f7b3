import type { PagePath } from '@pairwire/contract/paths'
import { currentSession } from './session/session.ts'
import { type LazyRoute, lazyRoute } from './shell/lazy-route.tsx'

/** A page of the dashboard and its address. */
export type PageRoute = Readonly<{
  path: string
  page: LazyRoute
  /** When signed out, the login form is shown in its place and the address stays. */
  signedIn?: true
}>

const account = lazyRoute(() => import('./routes/account.tsx'))
const shop = lazyRoute(() => import('./routes/historical-shop.tsx'))

/** The login form: a page of its own, and the substitute for every page that requires sign-in. */
export const login = lazyRoute(() => import('./routes/login.tsx'))

/** The page at every address, its code in a chunk of its own that is fetched when the page is opened. */
const PAGES: Readonly<Record<PagePath | '/404', Omit<PageRoute, 'path'>>> = {
  '/dashboard': { page: account, signedIn: true },
  '/dashboard/account': { page: account, signedIn: true },
  '/dashboard/console': { page: lazyRoute(() => import('./routes/console.tsx')), signedIn: true },
  '/dashboard/upgrade': { page: lazyRoute(() => import('./routes/upgrade.tsx')), signedIn: true },
  '/dashboard/historical': { page: shop },
  '/dashboard/historical/shop': { page: shop },
  '/dashboard/historical/orders': {
    page: lazyRoute(() => import('./routes/historical-orders.tsx')),
    signedIn: true,
  },
  '/dashboard/guides': { page: lazyRoute(() => import('./routes/guides.tsx')) },
  '/dashboard/help': { page: lazyRoute(() => import('./routes/help.tsx')) },
  '/dashboard/login': { page: login },
  '/dashboard/register': { page: lazyRoute(() => import('./routes/register.tsx')) },
  '/dashboard/payment': { page: lazyRoute(() => import('./routes/payment.tsx')) },
  '/logout': { page: lazyRoute(() => import('./routes/logout.tsx')) },
  '/404': { page: lazyRoute(() => import('./routes/not-found.tsx')) },
}

/** Every page. */
export const PAGE_ROUTES: readonly PageRoute[] = Object.entries(PAGES).map(([path, route]) => ({
  path,
  ...route,
}))

/** Fetches the code of the page at `path` before it is rendered; an unknown path fetches nothing. */
export async function preloadRoute(path: string): Promise<void> {
  const route = PAGE_ROUTES.find((candidate) => candidate.path === path)
  if (!route) return
  const page = route.signedIn && !currentSession() ? login : route.page
  // A failure here is silent: rendering the page tries again and shows it.
  await page.preload().catch(() => {})
}
