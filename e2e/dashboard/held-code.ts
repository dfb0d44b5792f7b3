import type { Page } from 'playwright-core'

/** Keeps back the code of the page named so, as a slow network would. @returns what lets it come */
export async function holdCode(page: Page, name: string): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(new RegExp(`/assets/${name}-[^/]+\\.js$`), async (route) => {
    await released
    await route.continue()
  })
  return release
}
