// Loaded into the service before it starts: watches its event loop and its memory, and writes the figures to the file
// SOAK_FIGURES, a line of JSON per second. SIGUSR2 starts over.
import { appendFileSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { watchLoop } from '../harness/pauses.mjs'

if (isMainThread && process.env.SOAK_FIGURES) watch(process.env.SOAK_FIGURES)

function watch(file) {
  const loop = watchLoop()
  let cpu = process.cpuUsage()
  process.on('SIGUSR2', () => {
    loop.begin()
    cpu = process.cpuUsage()
  })
  setInterval(() => {
    const { user, system } = process.cpuUsage(cpu)
    const cpuSeconds = (user + system) / 1e6
    const figures = { at: Date.now(), ...loop.read(), cpuSeconds, ownBytes: ownBytes() }
    appendFileSync(file, `${JSON.stringify(figures)}\n`)
  }, 1_000).unref()
}

/** The process's own share of its resident memory: without file pages, which the system can reclaim at any time. */
function ownBytes() {
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? []
  return kilobytes === undefined ? process.memoryUsage.rss() : Number(kilobytes) * 1024
}
