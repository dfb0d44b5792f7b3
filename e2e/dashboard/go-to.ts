import type { Page } from 'playwright-core'

/** Navigates to `path` within the page, like a link: no document is loaded. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((path) => {
    history.pushState({}, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
}
