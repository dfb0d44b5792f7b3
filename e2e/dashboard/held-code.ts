import type { Page } from 'playwright-core'

/** Holds back the code of the named page, like a slow network. @returns a function that releases it */
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
