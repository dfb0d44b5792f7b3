import { execFileSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { openBrowser } from '../harness/browser.mjs'
import { makeFrames, sendEvents } from '../harness/page-sender.mjs'
import { servePage, sessionToken } from '../harness/page-server.mjs'
import { pathOf } from '../harness/product.mjs'
import { machine, quantile, show, whole } from '../harness/results.mjs'

export const title = 'The console under load'
export const about =
  'The built page in Chromium, a light sender of 2,000 events a second, and a trace of the page’s main thread.'
export const options = { seconds: [60, 'of the first run'] }

const DESK = { device: 'desk', width: 1440, height: 900, slow: 1 }
/** The phone of the budgets: its processor is four times slower. */
const PHONE = { device: 'phone', width: 390, height: 844, slow: 4 }
/** Milliseconds after the start in which the page is still warming up. */
const WARM_MS = 1_000
/** Milliseconds of a task from which the delay of a press is noticeable. */
const LONG_MS = 50
/** Milliseconds of one part of the trace, and after each in which the page is not watched. */
const PART_MS = 20_000
const REST_MS = 4_000
/** Milliseconds after the last event in which the counter must stop. */
const SETTLE_MS = 5_000

export async function* run({ seconds }) {
  const shorter = Math.min(60, seconds)
  const loads = [
    { ...DESK, perSecond: 2_000, seconds },
    { ...DESK, perSecond: 5_000, seconds: shorter },
    { ...PHONE, perSecond: 2_000, seconds: shorter },
  ]
  const dist = buildPage()
  const columns = []
  for (const load of loads) columns.push(show(load.device, await measure({ ...load, dist })))
  yield { text: table(columns) }
}

function buildPage() {
  execFileSync(process.execPath, [pathOf('scripts/prepare.mjs')], { stdio: 'inherit' })
  return pathOf('apps/web/dist')
}

async function measure({ dist, seconds, perSecond, device, width, height, slow }) {
  const frames = makeFrames()
  let sent
  const isSent = new Promise((resolve) => {
    sent = resolve
  })
  const server = await servePage({
    dist,
    onStream({ socket, ws }) {
      ws.on('message', async (data) => {
        const { id, method } = JSON.parse(String(data))
        ws.send(JSON.stringify({ jsonrpc: '2.0', id, result: { subscription_id: id ? 2 : 1 } }))
        if (method === 'swapSubscribe') sent(await sendEvents(socket, frames, { perSecond, seconds }))
      })
    },
  })
  const browser = await openBrowser(['--js-flags=--expose-gc'])
  try {
    const isPhone = device === 'phone'
    const page = await browser.newPage({ viewport: { width, height }, isMobile: isPhone, hasTouch: isPhone })
    await page.addInitScript((token) => {
      localStorage.setItem('token', token)
      globalThis.slowest = 0
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          globalThis.slowest = Math.max(globalThis.slowest, entry.duration)
      }).observe({ type: 'event', durationThreshold: 16 })
    }, sessionToken())
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable')
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slow })
    await page.goto(`${server.url}/dashboard/console`)
    await page.locator('.start-button:visible').first().waitFor()

    const watch = watchTasks(browser, page)
    await watch.start()
    await page.evaluate(watchFirstRow)
    // A phone has no mouse.
    const start = page.locator('.start-button:visible').first()
    await (isPhone ? start.tap() : start.click())
    const firstRowMs = await page.evaluate(() => globalThis.firstRow)

    await wait(Math.min(5_000, seconds * 200))
    const earlyHeap = await heapOf(page, devtools)
    const chips = isPhone ? await centres(page.locator('.chips button')) : []
    let part = Date.now()
    let presses = 0
    const until = Date.now() + (seconds - 6) * 1_000
    if (!isPhone) await page.locator('[data-request]').focus()
    while (Date.now() < until) {
      if (Date.now() - part > PART_MS) {
        await watch.stop()
        await watch.start()
        part = Date.now()
      }
      // A phone has its request in a drawer, so the kinds of rows are pressed, all and buys in turn.
      if (isPhone) await page.touchscreen.tap(...chips[presses++ % 2 === 0 ? 2 : 0])
      else await page.keyboard.type(' ')
      await wait(1_500)
    }
    const lateHeap = await heapOf(page, devtools)
    const number = await isSent
    await page
      .waitForFunction(
        (count) => document.querySelector('[data-received]')?.dataset.received === String(count),
        number,
        { timeout: SETTLE_MS },
      )
      .catch(() => {})
    const end = await page.evaluate(look)
    await watch.stop()
    return {
      ...{ seconds, perSecond, device, firstRowMs, sent: number, counted: end.received, rows: end.rows },
      ...watch.figures(),
      heapGrowth: lateHeap - earlyHeap,
      slowestInput: await page.evaluate(() => globalThis.slowest),
      browserVersion: browser.version(),
    }
  } finally {
    await browser.close()
    await server.close()
  }
}

/** Sets `firstRow` to the milliseconds from the press to the paint of the first row. Runs in the page. */
function watchFirstRow() {
  globalThis.firstRow = new Promise((resolve) => {
    addEventListener('click', () => performance.mark('bench-start'), { capture: true, once: true })
    new MutationObserver((_, observer) => {
      if (!document.querySelector('.event-row-buy, .event-row-sell, .event-row-pair')) return
      observer.disconnect()
      const painted = () => resolve(performance.measure('bench-first-row', 'bench-start').duration)
      requestAnimationFrame(() => setTimeout(painted))
    }).observe(document.body, { subtree: true, childList: true })
  })
}

/** Bytes of the page's heap, after a collection. */
async function heapOf(page, devtools) {
  await page.evaluate(() => performance.mark('bench-pause'))
  await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  await page.evaluate(() => performance.mark('bench-resume'))
  return metrics.find(({ name }) => name === 'JSHeapUsedSize').value
}

/** The rows in the list. Runs in the page. */
function look() {
  return {
    received: Number(document.querySelector('[data-received]').dataset.received),
    rows: document.querySelectorAll('.event-row').length,
  }
}

/** The centre of each element, so that it can be pressed without querying the page. */
async function centres(locator) {
  const boxes = await Promise.all((await locator.all()).map((one) => one.boundingBox()))
  return boxes.map(({ x, y, width, height }) => [x + width / 2, y + height / 2])
}

/**
 * Records the tasks of the page's main thread from one second after the press on Start, in parts, since a trace of ten
 * minutes does not fit in a string. Work that the benchmark itself requests (collecting garbage, changing parts) is left out.
 */
function watchTasks(browser, page) {
  const tasks = []
  let watchedMs = 0
  let startedAt
  return {
    async start() {
      await browser.startTracing(page, { categories: ['toplevel', '__metadata', 'blink.user_timing'] })
      // The process that sends the events has just read the previous part, which is not the page's doing.
      if (startedAt !== undefined) await wait(REST_MS)
      await page.evaluate(() => performance.mark('bench-part'))
    },
    async stop() {
      await page.evaluate(() => performance.mark('bench-pause'))
      const events = JSON.parse((await browser.stopTracing()).toString()).traceEvents
      const part = events.find(({ name }) => name === 'bench-part')
      if (!part) throw new Error('The trace does not hold its start.')
      const ours = events.filter(({ pid, tid }) => pid === part.pid && tid === part.tid)
      const times = (name) => ours.filter((event) => event.name === name).map(({ ts }) => ts)
      startedAt ??= times('bench-start')[0]
      const from = Math.max(part.ts, startedAt + WARM_MS * 1000)
      const resumes = times('bench-resume')
      const pauses = times('bench-pause').map((pause, index) => [
        pause,
        resumes[index] ?? Number.POSITIVE_INFINITY,
      ])
      const [end] = pauses.at(-1)
      const pausedFor = pauses.reduce(
        (sum, [pause, resume]) => sum + Math.max(0, Math.min(resume, end) - Math.max(pause, from)),
        0,
      )
      watchedMs += (end - from - pausedFor) / 1000
      const found = ours.filter(
        ({ ph, name, ts, dur }) =>
          ph === 'X' &&
          name.endsWith('RunTask') &&
          ts > from &&
          !pauses.some(([pause, resume]) => ts < resume && ts + dur > pause),
      )
      if (found.length === 0) throw new Error('The trace holds no tasks of the page.')
      for (const { dur, tdur = 0 } of found) tasks.push({ ms: dur / 1000, processorMs: tdur / 1000 })
    },
    figures() {
      const worked = tasks.map(({ ms }) => ms).filter((ms) => ms >= 1)
      const share = (member) => tasks.reduce((sum, task) => sum + task[member], 0) / watchedMs
      return {
        ...{ busy: share('ms'), busyProcessor: share('processorMs') },
        longest: Math.max(...worked),
        longestProcessor: tasks.reduce((most, { processorMs }) => Math.max(most, processorMs), 0),
        usual: quantile(worked, 0.95),
        long: worked.filter((ms) => ms > LONG_MS),
      }
    },
  }
}

/** One row for each figure, one column for each run. */
function table(columns) {
  const row = (name, write) => `| ${[name, ...columns.map(write)].join(' | ')} |`
  const [{ browserVersion }] = columns
  return [
    `## ${title}`,
    '',
    `A sender of finished frames to the built page in Chromium ${browserVersion}, drawn by the processor: a desk of ${DESK.width} x ${DESK.height}, a phone of ${PHONE.width} x ${PHONE.height} whose page is slowed ${PHONE.slow} times. \`npm run bench -- console --seconds 600\``,
    machine(),
    '',
    row('', ({ perSecond, seconds, device }) => `${device}, ${whole(perSecond)}/s for ${seconds} s`),
    `|${'---|'.repeat(columns.length + 1)}`,
    row('events sent', ({ sent }) => whole(sent)),
    row(
      'events counted',
      ({ sent, counted }) => `${whole(counted)} (${counted === sent ? 'equal' : 'NOT EQUAL'})`,
    ),
    row('longest task after the first second', ({ longest }) => `${longest.toFixed(1)} ms`),
    row(`tasks over ${LONG_MS} ms`, ({ long }) => whole(long.length)),
    row('longest in processor time', ({ longestProcessor }) => `${longestProcessor.toFixed(1)} ms`),
    row('95 % of the tasks of 1 ms or more take at most', ({ usual }) => `${usual.toFixed(1)} ms`),
    row('main thread in use', ({ busy }) => `${(busy * 100).toFixed(1)} % of a core`),
    row(
      'the same in processor time',
      ({ busyProcessor }) => `${(busyProcessor * 100).toFixed(1)} % of a core`,
    ),
    row('longest input event', ({ slowestInput }) =>
      slowestInput === 0 ? 'under 16 ms' : `${slowestInput} ms`,
    ),
    row('first row after Start', ({ firstRowMs }) => `${firstRowMs.toFixed(0)} ms`),
    row('rows at the end', ({ rows }) => whole(rows)),
    row('heap growth of the page, after collecting', ({ heapGrowth }) => `${megabytes(heapGrowth)} MB`),
    '',
    'Tasks are watched for 20 s at a time, with some 5 s between for reading the trace. What this does not show: a phone, a graphics card, a network between. The worker is not slowed where the page is. The main thread counts as in use for what the page does: the questions of the benchmark itself, and the collections that it asks for, are left out.',
  ].join('\n')
}

function megabytes(bytes) {
  return (bytes / 1_048_576).toFixed(2)
}
