// Loaded into the service before it starts: watches its event loop and its memory, and writes what it saw to the file
// SOAK_FIGURES, a line of JSON each second. SIGUSR2 begins anew.
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

/** What is the process's own of its resident memory: pages of files, which the system takes back at will, are left out. */
function ownBytes() {
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? []
  return kilobytes === undefined ? process.memoryUsage.rss() : Number(kilobytes) * 1024
}
