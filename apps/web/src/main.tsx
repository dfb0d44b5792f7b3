// First, so that a page's own styles come after it.
import '../../../design/look.css'
import { setPlanFigures } from '@pairwire/contract/plans'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter, matchPath } from 'react-router'
import { startAccountRead } from './api/account-read.ts'
import { currentConfig, loadConfig } from './api/config-store.ts'
import { App } from './app.tsx'
import { readLocale } from './locale/locale.ts'
import { preloadRoute } from './routes.ts'
import { loadNotice, showLastNotice } from './shell/notice.ts'
import { startThirdParties } from './third-parties/start-third-parties.ts'

/**
 * Milliseconds that the first render waits for the page's code, so that it appears at once, and on the first visit
 * for the status banner, so that it does not push the page down.
 */
const FIRST_WAIT_MS = 400

/** Pages whose code is fetched ahead, so that the menu and Sign Out work even while the server is away. */
const AHEAD = ['/dashboard/account', '/dashboard/upgrade', '/dashboard/help', '/logout']

// The service's own, where they are not ours.
const figures = document.getElementById('figures')?.textContent
if (figures) setPlanFigures(JSON.parse(figures))

const locale = readLocale()
// The words are English; naming another language here would have them read out wrongly.
if (locale.startsWith('en')) document.documentElement.lang = locale

const { pathname } = window.location
const pageLoaded = preloadRoute(pathname === '/' ? '/dashboard' : pathname)
// While signing in or out, the current session is not the one to ask with: a mailed link brings another.
if (!matchPath('/logout', pathname) && !matchPath('/dashboard/login', pathname)) startAccountRead()
void loadConfig().then(() => startThirdParties(currentConfig()))
const noticeKnown = showLastNotice()
const noticeLoaded = loadNotice()
await Promise.race([
  Promise.all([pageLoaded, noticeKnown || noticeLoaded]),
  new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS)),
])

const whenIdle = window.requestIdleCallback ?? setTimeout
whenIdle(() => AHEAD.map(preloadRoute))

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root element.')
// A transition is rendered in slices, so that input meanwhile does not wait for the whole page.
startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      <BrowserRouter useTransitions={false}>
        <App />
      </BrowserRouter>
    </StrictMode>,
  ),
)
