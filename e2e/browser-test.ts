import type { Browser, BrowserContext, Page } from 'playwright-core'
import { test as base } from 'vitest'
import {
  isPhone,
  launchBrowser,
  openContext,
  openPageIn,
  type PageOptions,
  setLook,
  type WatchedPage,
  watch,
} from './browser.ts'
import { PAGE_MS } from './story-time.ts'

/** The browser of this worker. Vitest would start one for every extension of the test, and each takes seconds. */
let launched: Promise<Browser> | undefined

/**
 * How a page is opened: with `clock` its time is the test's, from before its first script; a `cold` one has no file of the
 * service yet.
 */
export type OpenOptions = PageOptions & { clock?: boolean; cold?: boolean }

/** A page that tests use one after the other. */
type Reused = Readonly<{
  page: Page
  /** Forgets all that a test set, opened and stored. */
  empty(): Promise<void>
}>

/** Pages of this worker that no test uses now. */
const idle = { desk: [] as Reused[], phone: [] as Reused[] }

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
  open: async ({ browser, task }, use) => {
    const closed: BrowserContext[] = []
    const used: [kind: keyof typeof idle, reused: Reused][] = []
    await use(async ({ clock = false, cold = false, ...look } = {}) => {
      // A context never gets its own time back.
      if (clock || cold) {
        const context = await openContext(browser, look)
        closed.push(context)
        if (clock) await context.clock.install()
        return openPageIn(context)
      }
      const kind = isPhone(look) ? 'phone' : 'desk'
      const reused = idle[kind].pop() ?? (await openReused(browser, look))
      used.push([kind, reused])
      await setLook(reused.page, look)
      return watch(reused.page)
    })
    const isSound = !task.result?.errors?.length
    await Promise.all([
      ...closed.map((context) => context.close()),
      ...used.map(async ([kind, reused]) => {
        const isEmpty =
          isSound &&
          (await reused.empty().then(
            () => true,
            () => false,
          ))
        if (isEmpty) idle[kind].push(reused)
        else await reused.page.context().close()
      }),
    ])
  },
})

/**
 * Opens a page for test after test. Its process keeps the files of the service and their compiled code: fetching and compiling
 * them again, and starting a page, take half of a visit.
 */
async function openReused(browser: Browser, look: PageOptions): Promise<Reused> {
  const context = await openContext(browser, look)
  context.setDefaultTimeout(PAGE_MS)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const ends: (() => Promise<void>)[] = []
  const { addInitScript } = page
  page.addInitScript = (async (...script: Parameters<typeof addInitScript>) => {
    const added = await addInitScript.apply(page, script)
    ends.push(() => added.dispose())
    return added
  }) as typeof addInitScript
  const { newCDPSession } = context
  context.newCDPSession = async (target) => {
    const opened = await newCDPSession.call(context, target)
    ends.push(() => opened.detach())
    return opened
  }
  return {
    page,
    async empty() {
      await Promise.all(context.pages().map((other) => other !== page && other.close()))
      for (const event of ['console', 'dialog', 'pageerror', 'request', 'websocket'])
        page.removeAllListeners(event)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.setOffline(false)
      // A page that went nowhere has no storage.
      await page.evaluate('try { sessionStorage.clear() } catch {}')
      // Leaves before a double ends, whose requests would go to the service.
      await page.goto('about:blank')
      await Promise.all(ends.splice(0).map((end) => end()))
      await context.clearCookies()
      await session.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' })
      await page.mouse.move(-1, -1)
    },
  }
}
