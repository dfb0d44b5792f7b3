import type { Page } from 'playwright-core'

/** Navigates to `path` within the page, like a link: no document is loaded. */
export async function goTo(page: Page, path: string): Promise<void> {
  // The router listens from its first commit; an address pushed while it still renders would be missed.
  await page.locator('#main').waitFor()
  await page.evaluate((path) => {
    history.pushState({}, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
}
