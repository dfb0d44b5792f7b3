// Resuming at old places: 200 accounts that resume at random old places of a full store again and again, and 40 that
// replay from old places with a filter that nothing meets; what an honest client beside them notices.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { machine } from '../results.mjs'
import { longestBeside, watchMachine } from '../soak/machine.mjs'
import { LONG_MS } from '../soak/watch.mjs'

const FILES = 24
const HONEST = 20
const RESUMING = 200
const REPLAYING = 40
const SETTLED_MS = 10_000
const BARE_MS = 20_000
const MEASURED_MS = Number(process.env.MEASURED_MS ?? 70_000)
const PORT = Number(process.env.BENCH_PORT ?? 21_600)
const BOUNDS = { moreMB: 100, longestMs: 30, p99Ms: 25 }
/** As `npm start` runs the service. */
const SERVICE_FLAGS = ['--max-semi-space-size=4', '--v8-pool-size=1', '--heap-growing-percent=40']

/** Measures, prints and gives the section. `BENCH_STORE` names a folder that is filled once and used again. */
export async function measureOldPlaces() {
  const folder = process.env.BENCH_STORE ?? mkdtempSync(join(tmpdir(), 'pairwire-old-'))
  const children = []
  const start = (script, args, execArgv = []) => {
    const child = fork(new URL(script, import.meta.url), args.map(String), { execArgv })
    // Who waits for its answer would wait for ever.
    child.on('exit', (code) => {
      if (code) process.exit(1)
    })
    children.push(child)
    return child
  }
  const machineWatch = watchMachine()
  try {
    const kept = await fill(folder)
    console.log(`${kept.events} events are kept in ${Math.round(kept.bytes / 1e6)} MB.`)
    const service = start('old-service.mjs', [PORT, folder, kept.last], SERVICE_FLAGS)
    const [{ openMs }] = await once(service, 'message')
    const crowd = Object.entries({ honest: HONEST, resuming: RESUMING, replaying: REPLAYING }).map(
      ([mode, count]) => start('old-clients.mjs', [mode, PORT, count, kept.first, kept.last - 1_000]),
    )
    const [honest, ...attackers] = crowd
    await Promise.all(crowd.map((child) => once(child, 'message')))
    for (const child of crowd) {
      const isOpen = once(child, 'message')
      child.send('open')
      await isOpen
    }
    honest.send('act')
    await wait(SETTLED_MS)

    const look = async (forMs) => {
      for (const child of [service, ...crowd]) child.send('measure')
      machineWatch.begin()
      await wait(forMs)
      const answers = [service, ...crowd].map((child) => once(child, 'message'))
      for (const child of [service, ...crowd]) child.send('ask')
      const [[cost], [pings], ...rest] = await Promise.all(answers)
      const seen = await machineWatch.read()
      const longestMs = longestBeside(cost.pauses, seen.isRealTime ? seen.pauses : [])
      const byClockMs = longestBeside(cost.pauses, [])
      return {
        ...{ cost, pings, longestMs, byClockMs, machineMs: seen.longestMs },
        acts: rest.map(([counts]) => counts),
      }
    }
    const bare = await look(BARE_MS)
    for (const child of attackers) child.send('act')
    const during = await look(MEASURED_MS)
    console.log(
      JSON.stringify({ openMs, bare, during }, (name, value) => (name === 'pauses' ? value.length : value)),
    )
    return describe(kept, openMs, bare, during)
  } finally {
    machineWatch.stop()
    for (const child of children) child.kill('SIGKILL')
    if (!process.env.BENCH_STORE) rmSync(folder, { recursive: true, force: true })
  }
}

/** Fills the folder, unless an earlier run has. What the service adds to it is nothing beside it. */
async function fill(folder) {
  const note = `${folder}.json`
  if (existsSync(note)) return JSON.parse(readFileSync(note, 'utf8'))
  const [kept] = await once(
    fork(new URL('old-store.mjs', import.meta.url), [folder, String(FILES)]),
    'message',
  )
  if (process.env.BENCH_STORE) writeFileSync(note, JSON.stringify(kept))
  return kept
}

function describe(kept, openMs, bare, during) {
  const row = (name, { cost, pings, longestMs, byClockMs, machineMs }) =>
    `| ${name} | ${ms(pings.p50Ms)} | ${ms(pings.p99Ms)} | ${ms(longestMs)} | ${ms(byClockMs)}, ${ms(cost.ownMs)} | ${ms(machineMs)} | ${cost.cores.toFixed(2)} | ${mb(cost.rss)}, ${mb(cost.mostRss)} |`
  const moreMB = (during.cost.mostRss - bare.cost.rss) / 1e6
  const [resuming, replaying] = during.acts
  const checks = [
    [moreMB <= BOUNDS.moreMB, `Memory grew by ${moreMB.toFixed(0)} MB, more than ${BOUNDS.moreMB}.`],
    [
      during.longestMs <= BOUNDS.longestMs,
      `The main thread stood for ${ms(during.longestMs)}, more than ${BOUNDS.longestMs} ms.`,
    ],
    [
      during.pings.p99Ms <= BOUNDS.p99Ms,
      `An honest ping's p99 is ${ms(during.pings.p99Ms)}, above ${BOUNDS.p99Ms} ms.`,
    ],
    [
      during.cost.connections === bare.cost.connections,
      `Of ${bare.cost.connections} connections ${during.cost.connections} were left.`,
    ],
  ]
  const text = `## Resuming at old places

A store of ${FILES} files of 16 MB (${(kept.events / 1e6).toFixed(1)} million swaps, opened in ${ms(openMs)}), 1,500 swaps/s. ${RESUMING} accounts resume at random old places again and again: a subscribe whose filter nothing meets, its answer, the unsubscribe, the next; a refused one waits a quarter of a second. ${REPLAYING} more replay from old places with such a filter. Beside them ${HONEST} honest ones ask for a ping ten times a second each. ${BARE_MS / 1_000} s with all of them connected and quiet, then ${MEASURED_MS / 1_000} s. Service, honest clients and the others are a process each; the others are of the lowest priority. ${machine()}

| | ping p50 | p99 (bound: ${BOUNDS.p99Ms} ms) | longest stretch of the main thread while the machine ran (bound: ${BOUNDS.longestMs} ms) | the same by the clock, and without waiting for a core | longest of a process beside that does nothing | service's cores | its memory, median and most |
|---|---|---|---|---|---|---|---|
${row('all connected, nobody resumes', bare)}
${row(`${RESUMING} resume, ${REPLAYING} replay`, during)}

**${moreMB.toFixed(0)} MB** more than idle (bound: ${BOUNDS.moreMB} MB). ${resuming.resumed.toLocaleString('en-US')} resumes were answered, ${resuming.refused.toLocaleString('en-US')} refused (60 a minute for an account); ${replaying.resumed} replays went on all the time.

A stretch is what passes between two looks at the loop, ${LONG_MS} ms at least. What this does not show: a disk that is slower than this machine's memory of its files.`
  return { text, violations: checks.filter(([holds]) => !holds).map(([, sentence]) => sentence) }
}

const ms = (value) => `${value.toFixed(1)} ms`
const mb = (value) => `${Math.round(value / 1e6)} MB`
