import { inject } from 'vitest'
import type { WatchedPage } from '../browser.ts'
import { test as base, type OpenOptions } from '../browser-test.ts'
import { type ApiDouble, doubleApi, signIn } from './api-double.ts'

/** How a page of the dashboard is opened. */
export type Visit = OpenOptions & {
  /** Signed in by default. */
  signedIn?: boolean
  token?: string
  account?: unknown
  /** Changes to the answer of `GET /api/config`. */
  config?: object
  /** The origin of the pages, if not the service itself. */
  origin?: string
  /** Prepares the double and the page before it is opened. */
  before?: (api: ApiDouble, page: WatchedPage) => void | Promise<void>
}

type Opened = { page: WatchedPage; api: ApiDouble }

/** The address of the service whose pages are opened. */
export const serviceUrl = inject('serviceUrl')

/**
 * A test with `visit(path, options)`: the page at `path` of the built dashboard, its API answered by a double. When it fails, its
 * pages are described.
 */
export const test = base.extend<{ visit: (path: string, options?: Visit) => Promise<Opened> }>({
  visit: async ({ open, task }, use) => {
    const pages: WatchedPage[] = []
    await use(async (path, options = {}) => {
      const { signedIn = true, token, before, account, config, origin = serviceUrl, ...look } = options
      const page = await open(look)
      if (signedIn) await signIn(page, origin, token)
      const api = await doubleApi(page, origin, {
        ...(account ? { account } : {}),
        ...(config ? { config } : {}),
      })
      await before?.(api, page)
      pages.push(page)
      await page.goto(origin + path)
      return { page, api }
    })
    if (!task.result?.errors?.length) return
    for (const page of pages.filter((page) => !page.isClosed())) {
      const seen = await page.evaluate(() => document.body.innerText).catch(String)
      console.log(`At the end of "${task.name}", ${page.url()} said:`, seen.slice(0, 2_000), page.faults)
    }
  },
})
