import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { PAGE_MS } from './story-time.ts'

/** Path of the Chromium found by `npm test`; empty if there is none, and browser tests are skipped. */
export const chromePath = process.env.CHROME_PATH ?? ''

/** Starts Chromium without any call home, since CI has no network. The caller closes it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromePath,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      // No GPU process, and no spare renderer for the next page: a fifth less to compute per page.
      '--in-process-gpu',
      '--renderer-process-limit=1',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A page that records every breach of the content security policy and every script error, for `expectClean`. */
export type WatchedPage = Page & { faults: string[] }

/** How a page is opened: by default light and 1440 by 900. */
export type PageOptions = {
  theme?: 'light' | 'dark'
  width?: number
  height?: number
}

/** Opens a page in a separate context, so that no test sees another's sign-in. */
export async function openPage(browser: Browser, options: PageOptions = {}): Promise<WatchedPage> {
  const { theme = 'light', width = 1440, height = 900 } = options
  const context: BrowserContext = await browser.newContext({
    colorScheme: theme,
    // Animations take a third of the browser's time. A test of them enables them with emulateMedia.
    reducedMotion: 'reduce',
    viewport: { width, height },
    ...(width < 500 ? { hasTouch: true, isMobile: true } : {}),
  })
  context.setDefaultTimeout(PAGE_MS)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`script error: ${error.message}`))
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) faults.push(message.text())
  })
  return Object.assign(page, { faults })
}

/**
 * Counts the browser's requests for a document from now on. `load` events would not do: that of the previous document may
 * still come.
 */
export function countLoads(page: Page): () => number {
  let loads = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads++
  })
  return () => loads
}

/** Whether the keyboard's focus is on the element. */
export async function isFocused(element: Locator): Promise<boolean> {
  return (await element.and(element.page().locator(':focus')).count()) === 1
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** WCAG 2.0 to 2.2 A and AA, and best practice. */
const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Rules that depend on the colours, and so on the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Expects no accessibility finding, no policy violation and no script error. */
export async function expectClean(page: WatchedPage): Promise<void> {
  expect(await findFaults(page)).toEqual([])
}

/** Expects the same in the light theme and in the dark one, which stays on. */
export async function expectCleanInBothThemes(page: WatchedPage): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await expectClean(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await findFaults(page, COLOUR_RULES)).toEqual([])
}

/** Accessibility findings of the named rules or rule sets, policy violations and script errors. */
export async function findFaults(page: WatchedPage, rules = ALL_RULES): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource)
  const findings = await page.evaluate(async (runOnly) => {
    const axe = (globalThis as unknown as { axe: AxeRun }).axe
    // Passes are counted, not described: a quarter less to compute. No frame has axe, and it would wait half a second for
    // each.
    // Nobody meets the parts of a picture, and for each of the shop's thousand hours axe would search the label around all.
    const context = { exclude: ['svg[role="img"] > *'] }
    const { violations } = await axe.run(context, { runOnly, resultTypes: ['violations'], iframes: false })
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map((node) => node.html)
          .join(' | ')
          .slice(0, 300)}`,
    )
  }, rules)
  return [...findings, ...page.faults]
}

type AxeRun = {
  run(
    context: unknown,
    options: unknown,
  ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}
