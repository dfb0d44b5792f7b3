// Resuming: `npm run bench -- resume`. 200 clients that come back at once for two minutes of 1,500 swaps a second, and
// one for an hour: what live clients notice, and how fast the others catch up. `--dry` prints only.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus, release } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { keepSection } from '../results.mjs'

const LIVE = 20
const RESUMING = 200
const MEASURED_MS = 20_000
const PORT = Number(process.env.BENCH_PORT ?? 21_600)

/** Runs both rows, prints them and keeps them in RESULTS.md. */
export async function run(args) {
  const alone = await measure(2, 0)
  console.log('live clients alone:', alone)
  const many = await measure(2, RESUMING)
  console.log(`${RESUMING} resume two minutes:`, many)
  const section = describe(alone, many)
  console.log(`\n${section}`)
  if (!args.includes('--dry')) keepSection('resume', section)
}

async function measure(minutes, resuming) {
  const service = fork(new URL('./service.mjs', import.meta.url), [PORT, minutes].map(String))
  const live = fork(new URL('./clients.mjs', import.meta.url), ['live', PORT, LIVE].map(String))
  const clients = fork(new URL('./clients.mjs', import.meta.url), ['resuming', PORT, resuming].map(String))
  try {
    const [[{ from }]] = await Promise.all([
      once(service, 'message'),
      once(live, 'message'),
      once(clients, 'message'),
    ])
    const opened = once(live, 'message')
    live.send({ open: true })
    await opened
    service.send('start')
    await wait(2_000)
    const resumed = once(clients, 'message')
    clients.send({ open: true, from })
    await resumed
    for (const child of [service, live, clients]) child.send('measure')
    await wait(MEASURED_MS)
    const answers = [service, live, clients].map((child) => once(child, 'message'))
    for (const child of [service, live, clients]) child.send('stop')
    const [[cost], [seen], [caught]] = await Promise.all(answers)
    return {
      ...cost,
      p50Ms: seen.p50Ms,
      p99Ms: seen.p99Ms,
      maxMs: seen.maxMs,
      replayedPerSecond: caught.framesPerSecond,
      finished: caught.finished,
    }
  } finally {
    for (const child of [service, live, clients]) child.kill('SIGKILL')
  }
}

function describe(alone, many) {
  const row = (name, { p50Ms, p99Ms, cores, rssBytes, replayedPerSecond }) =>
    `| ${name} | ${p50Ms.toFixed(1)} ms | ${p99Ms.toFixed(1)} ms | ${cores.toFixed(2)} | ${Math.round(rssBytes / 1e6)} MB | ${Math.round(replayedPerSecond).toLocaleString('en-US')} |`
  return `## Resuming

${LIVE} live clients without a filter at 1,500 swaps/s, in bursts of a slot, while ${RESUMING} others resume two minutes (180,000 swaps of 600 bytes) at once; ${MEASURED_MS / 1000} s from the moment when they came. The service, the live clients and the others are a process each. Machine: ${cpus().length} x ${cpus()[0].model.trim()}, Linux ${release()}, Node ${process.versions.node}.

| | live p50 | live p99 (bound: 50 ms) | service's cores | its memory | replayed a second |
|---|---|---|---|---|---|
${row('nobody resumes', alone)}
${row(`${RESUMING} resume`, many)}

What this does not show: real networks, which are slower than loopback and so ask for less at a time. All processes share the two cores.`
}
