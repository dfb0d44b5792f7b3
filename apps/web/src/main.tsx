// First, so that what a page says of its own comes after it.
import '../../../design/look.css'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { startAccountRead } from './api/account-read.ts'
import { currentConfig, loadConfig } from './api/config-store.ts'
import { App } from './app.tsx'
import { readLocale } from './locale/locale.ts'
import { preloadRoute } from './routes.ts'
import { loadNotice, showLastNotice } from './shell/notice.ts'
import { startThirdParties } from './third-parties/start-third-parties.ts'

/**
 * Milliseconds that the first drawing waits for the page's code, so that it is drawn in one go, and at the first visit
 * for the status banner, so that it does not push the page down.
 */
const FIRST_WAIT_MS = 400

/** Pages whose code comes ahead, so that the menu and Sign Out lead somewhere also while the server is away. */
const AHEAD = ['/dashboard/account', '/dashboard/upgrade', '/dashboard/help', '/logout']

const locale = readLocale()
// The words are English; another language's name here would have them read out wrongly.
if (locale.startsWith('en')) document.documentElement.lang = locale

const { pathname } = window.location
const pageLoaded = preloadRoute(pathname === '/' ? '/dashboard' : pathname)
// On the way in or out the session that is there is not the one to ask with: a mailed link brings another.
if (!/^\/(logout|dashboard\/login)\/?$/.test(pathname)) startAccountRead()
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
// A transition is drawn in slices, so that what is pressed meanwhile does not wait for the whole page.
startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      <BrowserRouter useTransitions={false}>
        <App />
      </BrowserRouter>
    </StrictMode>,
  ),
)
