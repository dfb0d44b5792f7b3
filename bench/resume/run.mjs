// Resuming: `npm run bench -- resume`. 200 clients that come back at once for two minutes of 1,500 swaps a second: what
// live clients notice, and how fast the others catch up. `--hour` measures one that comes back for an hour, whose
// 5.4 million swaps are written first; where that takes longer than two minutes and a half, for as much as was written
// by then. `--old` measures only those that resume at old places. `--dry` prints only.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { keepSection, machine } from '../results.mjs'
import { measureOldPlaces } from './old-places.mjs'

const LIVE = 20
const RESUMING = 200
const MEASURED_MS = 20_000
const PORT = Number(process.env.BENCH_PORT ?? 21_600)

/** Runs the rows, prints them and keeps them in RESULTS.md. */
export async function run(args) {
  if (args.includes('--hour')) {
    const section = describeHour(await measure(60, 1))
    console.log(`\n${section}`)
    if (!args.includes('--dry')) keepSection('resume-hour', section)
    return
  }
  if (!args.includes('--old')) await runAtOnce(args)
  const { text, violations } = await measureOldPlaces()
  console.log(`\n${text}`)
  if (!args.includes('--dry')) keepSection('resume-old', text)
  for (const sentence of violations) console.error(sentence)
  if (violations.length > 0) process.exitCode = 1
}

async function runAtOnce(args) {
  const alone = await measure(2, 0)
  console.log('live clients alone:', alone)
  const many = await measure(2, RESUMING)
  console.log(`${RESUMING} resume two minutes:`, many)
  const section = describe(alone, many)
  console.log(`\n${section}`)
  if (!args.includes('--dry')) keepSection('resume', section)
}

async function measure(minutes, resuming) {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-resume-'))
  const service = fork(new URL('./service.mjs', import.meta.url), [PORT, minutes, folder].map(String))
  const live = fork(new URL('./clients.mjs', import.meta.url), ['live', PORT, LIVE].map(String))
  const clients = fork(new URL('./clients.mjs', import.meta.url), ['resuming', PORT, resuming].map(String))
  try {
    const [[{ from, minutes: kept }]] = await Promise.all([
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
      kept,
      p50Ms: seen.p50Ms,
      p99Ms: seen.p99Ms,
      maxMs: seen.maxMs,
      replayedPerSecond: caught.framesPerSecond,
    }
  } finally {
    for (const child of [service, live, clients]) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

function describeHour({
  kept,
  p50Ms,
  p99Ms,
  maxMs,
  cores,
  startBytes,
  mostBytes,
  heldBytes,
  replayedPerSecond,
}) {
  return `## Resuming an hour

${LIVE} live clients without a filter at 1,500 swaps/s, in bursts of a slot, while one other resumes ${kept.toFixed(1)} minutes (${((kept * 90_000) / 1e6).toFixed(1)} million swaps); ${MEASURED_MS / 1000} s from the moment when it came. The service, the live clients and the other are a process each. ${machine()}

Live p50 ${p50Ms.toFixed(1)} ms, p99 **${p99Ms.toFixed(1)} ms** (bound: 50 ms), longest ${maxMs.toFixed(1)} ms; ${Math.round(replayedPerSecond).toLocaleString('en-US')} swaps replayed a second; ${cores.toFixed(2)} of a core for the service, whose memory was ${Math.round(startBytes / 1e6)} MB before and ${Math.round(mostBytes / 1e6)} MB at most, ${(heldBytes / 1e6).toFixed(1)} MB of it behind outboxes at the end.

What this does not show: swaps of a real chain, which pack less well than these.`
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
