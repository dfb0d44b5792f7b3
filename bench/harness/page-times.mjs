import { setTimeout as wait } from 'node:timers/promises'
import { openBrowser } from './browser.mjs'
import { createAccounts } from './processes.mjs'
import { machine, median } from './results.mjs'

/** The phone of the budgets: a processor four times slower, 10 Mbit/s each way, 40 ms to the server and back. */
const PHONE = { width: 390, height: 844, slow: 4, bytesPerSecond: 10e6 / 8, roundTripMs: 40 }

/** The bound of each figure: milliseconds, except for the layout shift. */
const BOUNDS = { paint: 1_600, blocking: 150, shift: 0.02, press: 100 }

const RUNS = 3

/** Milliseconds without a request after which a page counts as loaded. */
const QUIET_MS = 1_000

const SIGNED_OUT = [
  '/dashboard/login',
  '/dashboard/register',
  '/dashboard/help',
  '/dashboard/historical',
  '/docs',
  '/docs/swaps',
  '/status',
]
const SIGNED_IN = ['/dashboard/account', '/dashboard/upgrade', '/dashboard/console']

/** Loads every page a few times with an empty cache, presses its first control, and returns the medians. */
export async function measureTimes(service) {
  const token = await signIn(service)
  const browser = await openBrowser()
  const rows = []
  for (const path of [...SIGNED_OUT, ...SIGNED_IN]) {
    const runs = []
    for (let run = 0; run < RUNS; run++) {
      runs.push(await visit(browser, service.url, path, SIGNED_IN.includes(path) ? token : undefined))
    }
    const figures = Object.fromEntries(
      Object.keys(BOUNDS).map((name) => [name, median(runs.map((run) => run[name]))]),
    )
    const missed = Object.keys(BOUNDS).filter((name) => figures[name] > BOUNDS[name])
    rows.push({ path, ...figures, bytes: runs[0].bytes, missed })
  }
  await browser.close()
  return rows
}

/** The section of the results. */
export function timesSection(rows) {
  const missed = rows.flatMap((row) => row.missed.map((name) => `${row.path} (${name})`))
  return `## Times of the pages

Medians of ${RUNS} first visits with an empty cache in Chromium as a phone: ${PHONE.width} px wide, processor slowed ${PHONE.slow} times, 10 Mbit/s, ${PHONE.roundTripMs} ms there and back. Bounds: largest paint ${BOUNDS.paint} ms, blocking ${BOUNDS.blocking} ms, layout shift ${BOUNDS.shift}, a press ${BOUNDS.press} ms.
${machine()}

| page | largest paint | blocking | layout shift | longest press | transferred |
|---|---|---|---|---|---|
${rows
  .map(
    ({ path, paint, blocking, shift, press, bytes }) =>
      `| ${path} | ${paint.toFixed(0)} ms | ${blocking.toFixed(0)} ms | ${shift.toFixed(3)} | ${press.toFixed(0)} ms | ${(bytes / 1024).toFixed(0)} kB |`,
  )
  .join('\n')}

${missed.length > 0 ? `Out of their bounds: ${missed.join(', ')}.` : 'All within their bounds.'}

What this does not show: the 75th percentile of real visitors, a real phone's processor and radio, presses while events arrive (see the console).`
}

async function visit(browser, url, path, token) {
  const context = await browser.newContext({
    viewport: { width: PHONE.width, height: PHONE.height },
    isMobile: true,
    hasTouch: true,
  })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: PHONE.slow })
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: PHONE.roundTripMs,
    downloadThroughput: PHONE.bytesPerSecond,
    uploadThroughput: PHONE.bytesPerSecond,
  })
  let bytes = 0
  let lastAt = Date.now()
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
    lastAt = Date.now()
  })
  await page.addInitScript(observe, token)
  const answer = await page.goto(url + path)
  if (!answer?.ok()) throw new Error(`${path} answered ${answer?.status()}.`)
  await page.locator('h1').first().waitFor()
  while (Date.now() - lastAt < QUIET_MS) await wait(100)
  const transferred = bytes

  // The first control in reach: keys move the focus, a press opens the menu or any button.
  for (let step = 0; step < 4; step++) {
    await page.keyboard.press('Tab')
    await wait(150)
  }
  const button = page.getByRole('button').first()
  if (await button.isVisible().catch(() => false)) await button.tap()
  await wait(500)
  const seen = await page.evaluate(() => globalThis.seen)
  await context.close()
  return { ...seen, bytes: transferred }
}

/** Runs in the page, before its scripts. Blocking time is the sum of what tasks after the first paint take beyond 50 ms. */
function observe(token) {
  if (token) localStorage.setItem('token', token)
  globalThis.seen = { paint: 0, blocking: 0, shift: 0, press: 0 }
  const { seen } = globalThis
  let firstPaint = Number.POSITIVE_INFINITY
  const tasks = []
  const watch = (type, take, options) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({
      type,
      buffered: true,
      ...options,
    })
  const countTasks = () => {
    seen.blocking = tasks
      .filter((task) => task.startTime + task.duration > firstPaint)
      .reduce((sum, task) => sum + task.duration - 50, 0)
  }
  watch('largest-contentful-paint', (entry) => {
    seen.paint = entry.startTime
  })
  watch('layout-shift', (entry) => {
    if (!entry.hadRecentInput) seen.shift += entry.value
  })
  watch('paint', (entry) => {
    if (entry.name === 'first-contentful-paint') firstPaint = entry.startTime
    countTasks()
  })
  watch('longtask', (entry) => {
    tasks.push(entry)
    countTasks()
  })
  watch(
    'event',
    (entry) => {
      if (entry.interactionId) seen.press = Math.max(seen.press, entry.duration)
    },
    { durationThreshold: 16 },
  )
}

/** A session of an account on a plan, obtained like a user's: by the mailed link. */
async function signIn({ url, dataFolder }) {
  const email = 'mara@example.com'
  createAccounts(dataFolder, [email])
  const post = (path, body) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post('/api/login', { email })
  for (;;) {
    const [mail] = await (await fetch(`${url}/dev/mail.json`)).json()
    if (mail) {
      const answer = await post('/api/authenticate', {
        email_token: new URL(mail.link).searchParams.get('t'),
      })
      return (await answer.json()).token
    }
    await wait(100)
  }
}
