import type { Page } from 'playwright-core'

/** Leads to `path` within the page, as a link of it would: no document is loaded. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((path) => {
    history.pushState({}, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
}
