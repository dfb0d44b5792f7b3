import type { Browser } from 'playwright-core'
import { test as base, inject } from 'vitest'
import { launchBrowser, openPage, type WatchedPage } from '../browser.ts'
import { type ApiDouble, doubleApi, signedInState } from './api-double.ts'

/** How a page of the dashboard is opened. */
export type Visit = {
  /** Signed in unless it says otherwise. */
  signedIn?: boolean
  token?: string
  account?: unknown
  /** Changes to what `GET /api/config` answers. */
  config?: object
  theme?: 'light' | 'dark'
  width?: number
  height?: number
  /** Where the pages come from, if not from the service itself. */
  origin?: string
  /** Arranges the double and the page before it is opened. */
  before?: (api: ApiDouble, page: WatchedPage) => void | Promise<void>
}

type Opened = { page: WatchedPage; api: ApiDouble }

/** Where the service is whose pages are opened. */
export const serviceUrl = inject('serviceUrl')

/**
 * A test with `visit(path, options)`: the page at `path` of the built dashboard, its API answered by a double.
 * The file's tests share one browser; each page has a context of its own, which ends with the test.
 */
export const test = base.extend<{
  browser: Browser
  visit: (path: string, options?: Visit) => Promise<Opened>
}>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures are needed from the pattern
    async ({}, use) => {
      const browser = await launchBrowser()
      await use(browser)
      await browser.close()
    },
    { scope: 'file' },
  ],
  visit: async ({ browser }, use) => {
    const pages: WatchedPage[] = []
    await use(async (path, options = {}) => {
      const { signedIn = true, token, before, account, config, origin = serviceUrl, ...look } = options
      const page = await openPage(browser, {
        ...look,
        ...(signedIn ? { storageState: signedInState(origin, token) } : {}),
      })
      pages.push(page)
      const api = await doubleApi(page, { ...(account ? { account } : {}), ...(config ? { config } : {}) })
      await before?.(api, page)
      await page.goto(origin + path)
      return { page, api }
    })
    await Promise.all(pages.map((page) => page.context().close()))
  },
})
