// The console under load: the built page in Chromium, a light sender of 2,000 events a second, and a trace of what
// the page's main thread did meanwhile.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { servePage, sessionToken } from './page-server.mjs'
import { createSender } from './sender.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const RESULTS = `${ROOT}bench/RESULTS.md`
const FLAGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--js-flags=--expose-gc',
]
/** Milliseconds after the start in which the page is still warming up. */
const WARM_MS = 1_000
/** Milliseconds of a task from which a press is felt to wait. */
const LONG_MS = 50
/** Milliseconds after the last event in which the counter must stand. */
const SETTLE_MS = 5_000

/**
 * Measures. `--seconds` (60) and `--rate` (2000) change the load, `--port` the server's port, `--slow` divides the
 * processor's speed, `--dry` leaves the table of results alone, `--dist` takes a page that is built already.
 */
export async function run(args) {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '60' },
      rate: { type: 'string', default: '2000' },
      port: { type: 'string', default: '0' },
      slow: { type: 'string', default: '1' },
      dist: { type: 'string' },
      dry: { type: 'boolean', default: false },
    },
  })
  const seconds = Number(values.seconds)
  const perSecond = Number(values.rate)
  const dist = values.dist ?? buildPage()
  const figures = await measure({
    dist,
    seconds,
    perSecond,
    port: Number(values.port),
    slow: Number(values.slow),
  })
  for (const { atMs, ms, processorMs } of figures.long) {
    console.log(
      `task of ${ms.toFixed(0)} ms (${processorMs.toFixed(0)} ms of processor) after ${(atMs / 1000).toFixed(1)} s`,
    )
  }
  const section = table(figures)
  console.log(section)
  if (!values.dry) keep(section)
  return figures
}

function buildPage() {
  execFileSync('node_modules/.bin/vite', ['build', 'apps/web', '--logLevel', 'error'], {
    cwd: ROOT,
    stdio: 'inherit',
  })
  return `${ROOT}apps/web/dist`
}

async function measure({ dist, seconds, perSecond, port, slow }) {
  const sender = createSender()
  let sent
  const isSent = new Promise((resolve) => {
    sent = resolve
  })
  const server = await servePage({
    dist,
    port,
    onStream({ socket, ws }) {
      ws.on('message', async (data) => {
        const { id, method } = JSON.parse(String(data))
        ws.send(JSON.stringify({ jsonrpc: '2.0', id, result: { subscription_id: id ? 2 : 1 } }))
        if (method === 'swapSubscribe') sent(await sender.send(socket, { perSecond, seconds }))
      })
    },
  })
  const browser = await chromium.launch({ executablePath: chromePath(), args: FLAGS })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
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
    await page.waitForSelector('.start-button')

    await browser.startTracing(page, { categories: ['toplevel', '__metadata', 'blink.user_timing'] })
    await page.evaluate(() => performance.mark('bench-start'))
    await page.locator('.request-actions .start-button').click()
    await page.waitForSelector('.event-row-buy')
    const firstRowMs = await page.evaluate(
      () => performance.now() - performance.getEntriesByName('bench-start')[0].startTime,
    )

    await wait(Math.min(5_000, seconds * 200))
    const early = await state(page, devtools)
    let mostRows = early.rows
    const until = Date.now() + (seconds - 6) * 1_000
    while (Date.now() < until) {
      await page.locator('[data-request]').focus()
      await page.keyboard.type(' ')
      await wait(1_500)
      mostRows = Math.max(mostRows, await page.locator('.event-row').count())
    }
    const late = await state(page, devtools)
    const number = await isSent
    await page
      .waitForFunction(
        (count) => document.querySelector('[data-received]')?.dataset.received === String(count),
        number,
        {
          timeout: SETTLE_MS,
        },
      )
      .catch(() => {})
    const end = await state(page, devtools)
    const trace = JSON.parse((await browser.stopTracing()).toString()).traceEvents
    const tasks = longestTask(trace)
    return {
      seconds,
      perSecond,
      slow,
      sent: number,
      counted: end.received,
      rows: Math.max(mostRows, end.rows),
      ...tasks,
      firstRowMs,
      busy: (late.taskSeconds - early.taskSeconds) / (late.time - early.time),
      heapGrowth: late.heap - early.heap,
      workerGrowth: late.workerHeap - early.workerHeap,
      nodes: [early.nodes, late.nodes],
      slowestInput: await page.evaluate(() => globalThis.slowest),
      browserVersion: browser.version(),
    }
  } finally {
    await browser.close()
    await server.close()
  }
}

async function state(page, devtools) {
  await page.evaluate(() => performance.mark('bench-pause'))
  await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  const metric = Object.fromEntries(metrics.map(({ name, value }) => [name, value]))
  const workers = page.workers()
  const workerHeap = await workers[0]?.evaluate(() => {
    globalThis.gc?.()
    return performance.memory?.usedJSHeapSize ?? 0
  })
  const shown = await page.evaluate(() => ({
    received: Number(document.querySelector('[data-received]').dataset.received),
    rows: document.querySelectorAll('.event-row').length,
    nodes: document.querySelectorAll('*').length,
  }))
  await page.evaluate(() => performance.mark('bench-resume'))
  return {
    ...shown,
    heap: metric.JSHeapUsedSize,
    workerHeap: workerHeap ?? 0,
    taskSeconds: metric.TaskDuration,
    time: metric.Timestamp,
  }
}

/**
 * The longest task of the page's main thread from one second after the press on Start, by the clock and by the
 * processor's time, and how many were long. What the benchmark itself asks for while it looks (collecting garbage)
 * is left out.
 */
function longestTask(events) {
  const start = events.find((event) => event.name === 'bench-start')
  if (!start) throw new Error('The trace does not hold the start.')
  const ours = events.filter((event) => event.pid === start.pid && event.tid === start.tid)
  const times = (name) => ours.filter((event) => event.name === name).map((event) => event.ts)
  const resumes = times('bench-resume')
  const pauses = times('bench-pause').map((from, index) => ({
    from,
    to: resumes[index] ?? Number.POSITIVE_INFINITY,
  }))
  const tasks = ours.filter(
    ({ ph, name, ts, dur }) =>
      ph === 'X' &&
      name.endsWith('RunTask') &&
      ts > start.ts + WARM_MS * 1000 &&
      !pauses.some(({ from, to }) => ts < to && ts + dur > from),
  )
  if (tasks.length === 0) throw new Error('The trace holds no tasks of the page.')
  const most = (key) => tasks.reduce((longest, task) => Math.max(longest, (task[key] ?? 0) / 1000), 0)
  return {
    longest: most('dur'),
    longestProcessor: most('tdur'),
    long: tasks
      .filter((task) => task.dur / 1000 > LONG_MS)
      .map(({ ts, dur, tdur }) => ({
        atMs: (ts - start.ts) / 1000,
        ms: dur / 1000,
        processorMs: (tdur ?? 0) / 1000,
      })),
  }
}

function table(figures) {
  const { sent, counted, longest, longestProcessor, long, nodes } = figures
  const rows = [
    ['events sent', whole(sent)],
    ['events counted by the console', `${whole(counted)} ${counted === sent ? '(equal)' : '(NOT EQUAL)'}`],
    ['longest task after the first second', `${longest.toFixed(1)} ms; ${long.length} over ${LONG_MS} ms`],
    ['the same in processor time', `${longestProcessor.toFixed(1)} ms`],
    ['main thread in use', `${(figures.busy * 100).toFixed(1)} % of a core`],
    [
      'longest input event while typing',
      figures.slowestInput === 0 ? 'under 16 ms' : `${figures.slowestInput} ms`,
    ],
    ['first row after Start', `${figures.firstRowMs.toFixed(0)} ms`],
    ['most rows', String(figures.rows)],
    ['heap growth of the page, after collecting', `${megabytes(figures.heapGrowth)} MB`],
    ['elements at 5 s and at the end', nodes.map(whole).join(' and ')],
  ]
  if (figures.workerGrowth !== 0) {
    rows.splice(9, 0, [
      'heap growth of the worker, after collecting',
      `${megabytes(figures.workerGrowth)} MB`,
    ])
  }
  const slow = figures.slow > 1 ? `, processor slowed ${figures.slow} times` : ''
  return [
    '## The console under load',
    '',
    `${whole(figures.perSecond)} events/s for ${figures.seconds} s from a sender of finished frames to the built page in Chromium ${figures.browserVersion} (1440 x 900${slow}), ${cpus().length} cores of ${cpus()[0]?.model.trim()}, Node ${process.versions.node}; load average at the end ${loadavg()[0].toFixed(1)}. \`npm run bench -- console\``,
    '',
    '| | |',
    '|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n')
}

/** Writes the section between its marks, and leaves the rest of the file to the other benchmarks. */
function keep(section) {
  const [from, to] = ['<!-- console -->', '<!-- /console -->']
  const text = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : '# Results\n'
  const block = `${from}\n${section}\n${to}`
  const start = text.indexOf(from)
  const end = text.indexOf(to)
  writeFileSync(
    RESULTS,
    start >= 0 && end > start
      ? text.slice(0, start) + block + text.slice(end + to.length)
      : `${text.trimEnd()}\n\n${block}\n`,
  )
}

function chromePath() {
  const path = [process.env.CHROME_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
    (candidate) => candidate && existsSync(candidate),
  )
  if (!path) throw new Error('No Chromium found. Set CHROME_PATH.')
  return path
}

function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function whole(number) {
  return number.toLocaleString('en-GB')
}

function megabytes(bytes) {
  return (bytes / 1_048_576).toFixed(2)
}
