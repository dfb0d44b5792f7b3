import type { Browser, BrowserContext } from 'playwright-core'
import { test as base, inject } from 'vitest'
import { launchBrowser, openContext, openPageIn, type PageOptions, type WatchedPage } from './browser.ts'

/** The browser of this worker. Vitest would start one for every extension of the test, and each takes seconds. */
let launched: Promise<Browser> | undefined

/** How a page is opened; with `clock` its time is the test's, from before its first script. */
export type OpenOptions = PageOptions & { clock?: boolean }

/** A context that tests use one after the other. */
type Reused = Readonly<{
  context: BrowserContext
  /** Closes its pages and forgets all that they stored. */
  empty(): Promise<void>
}>

/** Contexts of this worker that no test uses now. */
const idle: Reused[] = []

/**
 * A test with `open(options)`: an empty page in a context of which nobody else has seen anything, and which is emptied or closed
 * with the test, so that none keeps streaming beside the next. One browser serves all files of a worker.
 */
export const test = base.extend<{
  browser: Browser
  open: (options?: OpenOptions) => Promise<WatchedPage>
}>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures are needed from the pattern
    async ({}, use) => {
      launched ??= launchBrowser()
      const browser = await launched
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  open: async ({ browser }, use) => {
    const closed: BrowserContext[] = []
    const emptied: Reused[] = []
    await use(async ({ clock = false, ...look } = {}) => {
      // A context never gets its own time back.
      if (clock || Object.keys(look).length > 0) {
        const context = await openContext(browser, look)
        closed.push(context)
        if (clock) await context.clock.install()
        return openPageIn(context)
      }
      const reused = idle.pop() ?? (await openReused(browser))
      emptied.push(reused)
      return openPageIn(reused.context)
    })
    await Promise.all([
      ...closed.map((context) => context.close()),
      ...emptied.map(async (reused) => {
        await reused.empty()
        idle.push(reused)
      }),
    ])
  },
})

/**
 * Opens a context for page after page. Its first page stays, and with it the process for all pages of the service, which knows
 * the code of the one before: starting and compiling again take half of what it takes to open a page.
 */
async function openReused(browser: Browser): Promise<Reused> {
  const context = await openContext(browser)
  const first = await context.newPage()
  await first.goto(`${inject('serviceUrl')}/healthz`)
  const session = await context.newCDPSession(first)
  return {
    context,
    async empty() {
      await Promise.all(context.pages().map((page) => page !== first && page.close()))
      await context.setOffline(false)
      await context.clearCookies()
      await session.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' })
      await session.send('Network.clearBrowserCache')
    },
  }
}
