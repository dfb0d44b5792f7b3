// Loaded into the service before it starts: watches its event loop, its collector and its memory, and writes what it saw to
// the file SOAK_FIGURES, a line of JSON each second. SIGUSR2 begins anew.
import { appendFileSync, readFileSync } from 'node:fs'
import { constants, createHistogram, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import { createCoreWait, noteLongPauses, RESOLUTION_MS } from '../harness/pauses.mjs'

const KINDS = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weak',
}

if (isMainThread && process.env.SOAK_FIGURES) watch(process.env.SOAK_FIGURES)

function watch(file) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  let collections = {}
  const own = createHistogram()
  const waits = createHistogram()
  let cpu = process.cpuUsage()

  const pauses = noteLongPauses()
  new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries()) {
      const seen = collections[KINDS[detail.kind]] ?? { count: 0, totalMs: 0, longestMs: 0 }
      collections[KINDS[detail.kind]] = seen
      seen.count++
      seen.totalMs += duration
      seen.longestMs = Math.max(seen.longestMs, duration)
    }
  }).observe({ entryTypes: ['gc'] })

  // A pause is told apart where the system says how long this thread was ready and waited for a core.
  const core = createCoreWait()
  let lookedAt = performance.now()
  let waitedMs = core()
  setInterval(() => {
    const now = performance.now()
    const waitedNow = core()
    own.record(microseconds(now - lookedAt - (waitedNow - waitedMs)))
    waits.record(microseconds(waitedNow - waitedMs))
    lookedAt = now
    waitedMs = waitedNow
  }, RESOLUTION_MS).unref()

  process.on('SIGUSR2', () => {
    delay.reset()
    collections = {}
    own.reset()
    pauses.length = 0
    waits.reset()
    cpu = process.cpuUsage()
  })
  setInterval(() => {
    const { user, system } = process.cpuUsage(cpu)
    const figures = {
      at: Date.now(),
      p50Ms: delay.percentile(50) / 1e6,
      p99Ms: delay.percentile(99) / 1e6,
      p999Ms: delay.percentile(99.9) / 1e6,
      longestMs: delay.max / 1e6,
      ownP999Ms: own.percentile(99.9) / 1e3,
      ownLongestMs: own.max / 1e3,
      pauses: pauses.splice(0),
      waitedP999Ms: waits.percentile(99.9) / 1e3,
      waitedLongestMs: waits.max / 1e3,
      collections,
      cpuSeconds: (user + system) / 1e6,
      anonymous: anonymousBytes(),
      ...process.memoryUsage(),
    }
    appendFileSync(file, `${JSON.stringify(figures)}\n`)
  }, 1_000).unref()
}

const microseconds = (ms) => Math.max(1, Math.round(ms * 1_000))

/** What is the process's own of its resident memory: pages of files, which the system takes back at will, are left out. */
function anonymousBytes() {
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? []
  return kilobytes === undefined ? process.memoryUsage.rss() : Number(kilobytes) * 1024
}
