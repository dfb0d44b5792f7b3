import type { Browser } from 'playwright-core'
import { test as base } from 'vitest'
import { launchBrowser, openPage, type PageOptions, type WatchedPage } from './browser.ts'

/** The browser of this worker. Vitest would start one for every extension of the test, and each takes seconds. */
let launched: Promise<Browser> | undefined

/**
 * A test with `open(options)`: an empty page in a separate context, which ends with the test, so that none keeps streaming
 * beside the next. One browser serves all files of a worker.
 */
export const test = base.extend<{
  browser: Browser
  open: (options?: PageOptions) => Promise<WatchedPage>
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
    const pages: WatchedPage[] = []
    await use(async (options) => {
      const page = await openPage(browser, options)
      pages.push(page)
      return page
    })
    await Promise.all(pages.map((page) => page.context().close()))
  },
})
