import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { expect } from 'vitest'
import { PAGE_MS } from './story-time.ts'

/** Path of the Chromium found by `npm test`; empty if there is none, and browser tests are skipped. */
export const chromePath = process.env.CHROME_PATH ?? ''

/** Starts Chromium without any call home, since CI has no network. The caller closes it. */
export function launchBrowser({ optimises = false } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: chromePath,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      // No GPU process, and no spare renderer for the next page: a fifth less to compute per page.
      '--in-process-gpu',
      '--renderer-process-limit=1',
      // A page lives for seconds, and gets no optimised code back: a fifth less to compute per page.
      ...(optimises ? [] : ['--js-flags=--no-opt --no-maglev']),
      // Otherwise every page starts a process of its own, even beside one of the same site.
      '--disable-site-isolation-trials',
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

/** Opens a page in a separate context. */
export async function openPage(browser: Browser, options: PageOptions = {}): Promise<WatchedPage> {
  return openPageIn(await openContext(browser, options))
}

/** Opens a context: what one stores, such as a sign-in, no other sees. */
export function openContext(browser: Browser, options: PageOptions = {}): Promise<BrowserContext> {
  const { media, viewport } = lookOf(options)
  return browser.newContext({
    ...media,
    viewport,
    permissions: ['clipboard-read', 'clipboard-write'],
    ...(isPhone(options) ? { hasTouch: true, isMobile: true } : {}),
  })
}

/** Whether the page is that of a phone, with touch, which a context is from its start. */
export const isPhone = ({ width = 1440 }: PageOptions) => width < 500

/** Gives an open page that look. */
export async function setLook(page: Page, options: PageOptions): Promise<void> {
  const { media, viewport } = lookOf(options)
  await page.emulateMedia({ ...media, media: null, contrast: null, forcedColors: null })
  await page.setViewportSize(viewport)
}

function lookOf({ theme = 'light', width = 1440, height = 900 }: PageOptions) {
  return {
    // Animations take a third of the browser's time. A test of them enables them with emulateMedia.
    media: { colorScheme: theme, reducedMotion: 'reduce' },
    viewport: { width, height },
  } as const
}

/** Opens a page in that context. */
export async function openPageIn(context: BrowserContext): Promise<WatchedPage> {
  context.setDefaultTimeout(PAGE_MS)
  return watch(await context.newPage())
}

/** Records the page's faults from now on. */
export function watch(page: Page): WatchedPage {
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
    // The account page's code examples are a document too, in a frame that may begin to load late.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) loads++
  })
  return () => loads
}

/** Bytes of the page's heap, after a collection. The session has `Performance` enabled. */
export async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')!.value
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
  await page.evaluate(markAlike)
  const findings = await page.evaluate(async (runOnly) => {
    const axe = (globalThis as unknown as { axe: AxeRun }).axe
    axe.configure({ rules: [{ id: 'color-contrast', selector: ':not([data-alike])' }] })
    // Passes are counted, not described: a quarter less to compute. No frame has axe, and it would wait half a second for
    // each.
    const { violations } = await axe.run(document, { runOnly, resultTypes: ['violations'], iframes: false })
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

/**
 * Marks every element that looks like an earlier one: of the same classes, up to the root, and in the same colours. Their
 * contrast is the same too, and to find it takes half of axe's time on a page with many code samples or rows.
 */
function markAlike(): void {
  /** Numbers of the looks met so far, and those of the elements. */
  const numbers = new Map<string, number>()
  const looks = new Map<Element | null, number>()
  for (const element of document.querySelectorAll('body, body *')) {
    const style = getComputedStyle(element)
    const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight } = style
    const isShown = element.checkVisibility({ visibilityProperty: true })
    const own = [element.tagName, element.getAttribute('class'), element.matches(':disabled'), isShown]
    const colours = [color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight]
    const look = [looks.get(element.parentElement), ...own, ...colours].join()
    const number = numbers.get(look)
    element.toggleAttribute('data-alike', number !== undefined)
    looks.set(element, number ?? numbers.size)
    if (number === undefined) numbers.set(look, numbers.size)
  }
}

type AxeRun = {
  configure(settings: unknown): void
  run(
    context: unknown,
    options: unknown,
  ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

/** Sets the size of all letters, 200% or back to the usual one: WCAG 1.4.4 asks for 200 %. */
export const setLetters = (page: Page, size: '200%' | '') =>
  page.evaluate(`document.documentElement.style.fontSize = '${size}'`)

/** How wide a page with letters twice as large is. */
export async function widthAtDoubleLetters(page: Page): Promise<number> {
  await setLetters(page, '200%')
  const width = await page.evaluate<number>('document.scrollingElement.scrollWidth')
  await setLetters(page, '')
  return width
}

/** Lines of text in the element that lie over one another, with what is cut off left out: how both begin. */
export const overlappingTexts = (element: Locator): Promise<string[]> =>
  element.evaluate((part) => {
    const range = document.createRange()
    type Box = { left: number; right: number; top: number; bottom: number }
    const lines: { node: Node; text: string; box: Box }[] = []
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.nodeValue?.trim() || !node.parentElement?.checkVisibility()) continue
      range.selectNodeContents(node)
      for (const { left, right, top, bottom, height } of range.getClientRects()) {
        // An eighth above and below has no letters.
        const box = { left: left + 1, right: right - 1, top: top + height / 8, bottom: bottom - height / 8 }
        let around: Element | null = node.parentElement
        for (; around && around !== part; around = around.parentElement) {
          if (getComputedStyle(around).overflowX === 'visible') continue
          const clip = around.getBoundingClientRect()
          box.left = Math.max(box.left, clip.left)
          box.right = Math.min(box.right, clip.right)
          box.top = Math.max(box.top, clip.top)
          box.bottom = Math.min(box.bottom, clip.bottom)
        }
        if (box.left >= box.right || box.top >= box.bottom) continue
        lines.push({ node, text: node.nodeValue.trim().slice(0, 30), box })
      }
    }
    return lines.flatMap((one, index) =>
      lines
        .slice(index + 1)
        // A text with an ellipsis has a box for the whole line and one for what is left of it.
        .filter(({ node, box }) => node !== one.node || box.top !== one.box.top)
        .filter(({ box }) => box.left < one.box.right && one.box.left < box.right)
        .filter(({ box }) => box.top < one.box.bottom && one.box.top < box.bottom)
        .map(({ text }) => `${one.text} / ${text}`),
    )
  })
