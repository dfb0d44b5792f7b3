import { setTimeout as wait } from 'node:timers/promises'
import { now } from '../harness/clock.mjs'
import { createAccounts, start, startService, temporaryFolder } from '../harness/processes.mjs'
import { libraryOf } from '../harness/product.mjs'
import { byTurns, machine, mb, median, quantile, show, violated, whole } from '../harness/results.mjs'

export const title = 'The SDK'
export const about =
  'What the SDK takes for each event beside bare `ws` and libraries that connect again; a reader that stops for a minute; how soon a program has its next event after the service was killed. Without an option all three.'
export const options = {
  cost: [false, 'only what an event takes'],
  stopped: [false, 'only the reader that stops'],
  killed: [false, 'only the kills of the service'],
}

const NAMES = {
  ws: '`ws` and `JSON.parse`',
  'reconnecting-websocket': '`reconnecting-websocket` 4.4.0',
  partysocket: '`partysocket` 1.3.0',
  'on(event)': "the SDK, `on('event')`",
  'for await': 'the SDK, `for await`',
}
const READERS = Object.keys(NAMES)
const ROUNDS = 5
const PER_SECOND = 20_000
const WARM_UP_MS = 2_500
const MEASURED_MS = 5_000
/** The share by which a turn may be off the rate, and how often one is measured. */
const MOST_OFF = 0.05
const MOST_TRIES = 5
const STOPPED_PER_SECOND = 5_000
const STOPPED_MS = 60_000
const SLOT_MS = 400
/** Age of an event with which a reader is where the service is. */
const LIVE_MS = 2 * SLOT_MS
const KILLS = 50
const RETRY_MAX_MS = 2_000
const BOUNDS = { 'on(event)': 1.15, 'for await': 1.3, moreMB: 60, liveS: 60, medianS: 2, worstS: 6 }

export async function* run({ rounds, cost, stopped, killed }) {
  const isAll = !cost && !stopped && !killed
  if (isAll || cost)
    yield describeCost(await byTurns(READERS, rounds || ROUNDS, measureCost), rounds || ROUNDS)
  if (isAll || stopped)
    yield { name: 'sdk-stopped', ...describeStopped(show('stopped', await measureStopped())) }
  if (isAll || killed) yield { name: 'sdk-killed', ...describeKilled(await measureKills()) }
}

/** A gateway that publishes at a rate, and one program that reads from it. */
async function open(by, options) {
  const service = await start('service', { isProduction: true, ...options })
  const program = await start('program', { by, url: `ws://127.0.0.1:${service.ready.port}/` })
  await service.ask('start')
  await wait(WARM_UP_MS)
  await program.ask('begin')
  return { program, stop: () => Promise.all([program.stop(), service.stop()]) }
}

/** A turn in which events were held up is measured again: a busy machine lets neither side keep up. */
async function measureCost(by) {
  for (let tries = 1; ; tries++) {
    const { program, stop } = await open(by, { pace: { perSecond: PER_SECOND, everyMs: 10 } })
    await wait(MEASURED_MS)
    const { cores, seconds, events, missing } = await program.ask('read')
    await stop()
    const perSecond = events / seconds
    if (missing === 0 && Math.abs(perSecond / PER_SECOND - 1) < MOST_OFF)
      return { us: (cores * seconds * 1e6) / events, perSecond, tries }
    if (tries === MOST_TRIES) throw new Error(`${whole(perSecond)} events a second came, ${missing} did not.`)
  }
}

async function measureStopped() {
  const { program, stop } = await open('for await', {
    folder: temporaryFolder(),
    pace: { perSecond: STOPPED_PER_SECOND, everyMs: SLOT_MS },
  })
  await wait(MEASURED_MS)
  const { rssBytes } = await program.ask('read')
  await program.ask('hold')
  await wait(STOPPED_MS)
  await program.ask('goOn')
  const began = performance.now()
  let seen
  do {
    await wait(SLOT_MS)
    seen = await program.ask('read')
  } while (seen.behindMs > LIVE_MS && performance.now() - began < 2 * BOUNDS.liveS * 1_000)
  const liveS = (performance.now() - began) / 1_000
  await stop()
  const { events, missing, stats, mostBytes } = seen
  return { rssBytes, moreMB: (mostBytes - rssBytes) / 1e6, liveS, events, missing, ...stats }
}

/** Seconds from when the service takes traffic again to a program's next event, of each kill. */
async function measureKills() {
  let service = await startService()
  const { url, dataFolder } = service
  const [key] = createAccounts(dataFolder, ['reader@example.org'])
  const program = await start('program', { by: 'on(event)', url, key, retryMaxMs: RETRY_MAX_MS })
  await wait(WARM_UP_MS)
  const seconds = []
  for (let kill = 1; kill <= KILLS; kill++) {
    const isBack = program.ask('back')
    await service.kill()
    const starting = startService({ DATA_DIR: dataFolder, PORT: new URL(url).port })
    await untilReady(url)
    const readyAt = now()
    seconds.push(show(`kill ${kill}`, Math.max(0, (await isBack) - readyAt) / 1_000))
    service = await starting
  }
  const { stats } = await program.ask('read')
  await Promise.all([program.stop(), service.stop()])
  return { seconds, ...stats }
}

async function untilReady(url) {
  for (;;) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.status === 200) return
    await wait(10)
  }
}

function describeCost(rows, rounds) {
  const bare = median(rows.ws, 'us')
  const times = (name) => median(rows[name], 'us') / bare
  const lines = READERS.map((name) => {
    const bound = BOUNDS[name] ? ` (bound: ${BOUNDS[name]})` : ''
    return `| ${NAMES[name]} | ${median(rows[name], 'us').toFixed(1)} | ${times(name).toFixed(2)}${bound} | ${whole(median(rows[name], 'perSecond'))} |`
  })
  const text = `## ${title}

Microseconds of processor time for each event of 600 bytes at ${whole(PER_SECOND)} a second, all threads of the program together: JSON read, the event looked at, and found to follow the one before. A gateway and the program are a process each; medians of ${rounds} turns of ${MEASURED_MS / 1_000} s, each in new processes after ${WARM_UP_MS / 1_000} s of warm-up; one that is off the rate by more than ${MOST_OFF * 100} % is measured again. All of them use \`ws\` ${libraryOf('packages/client', 'ws/package.json').version}. ${machine()}

| | us an event | times bare | events a second |
|---|---|---|---|
${lines.join('\n')}

What this does not show: the libraries that connect again resume nothing, drop nothing that comes twice and bound nothing; blocks that move the place of a quiet stream, which this gateway does not have; other classes than \`ws\`; what a program does with its events.`
  const violations = Object.keys(rows).map((name) => [
    !(times(name) > BOUNDS[name]),
    `${name} takes ${times(name).toFixed(2)} times what bare ws does, more than ${BOUNDS[name]}.`,
  ])
  return { text, violations: violated(violations) }
}

function describeStopped({ rssBytes, moreMB, liveS, events, missing, gaps, duplicates, connects }) {
  const text = `## A reader that stops

A program reads ${whole(STOPPED_PER_SECOND)} swaps a second with \`for await\`, then takes none for ${STOPPED_MS / 1_000} s, with the default \`maxUnread\` of 10,000. ${machine()}

| | |
|---|---|
| the program's memory before | ${mb(rssBytes)} |
| more of it, at most, until the end (bound: ${BOUNDS.moreMB} MB) | ${moreMB.toFixed(0)} MB |
| from when it goes on to an event that is not ${LIVE_MS} ms old (bound: ${BOUNDS.liveS} s) | ${liveS.toFixed(1)} s |
| events, of them missing, gaps told, came twice (bound: 0 missing) | ${whole(events)}, ${missing}, ${gaps}, ${duplicates} |
| connections | ${connects} |

What this does not show: a service with other clients that catch up, and a network slower than loopback.`
  const violations = violated([
    [moreMB <= BOUNDS.moreMB, `Memory grew by ${moreMB.toFixed(0)} MB, more than ${BOUNDS.moreMB}.`],
    [liveS <= BOUNDS.liveS, `It was not where the service is within ${BOUNDS.liveS} s.`],
    [missing === 0 && gaps === 0, `${missing} events are missing, ${gaps} gaps were told.`],
  ])
  return { text, violations }
}

function describeKilled({ seconds, gaps, duplicates }) {
  const [middle, worst] = [quantile(seconds, 0.5), quantile(seconds, 1)]
  const text = `## A service that is killed

The whole service on the simulator is killed and started again at once, ${KILLS} times; a program reads swaps with \`retryMaxMs\` ${whole(RETRY_MAX_MS)}. From the first 200 of \`/readyz\` to the program's next event: median **${middle.toFixed(2)} s** (bound: ${BOUNDS.medianS} s), worst **${worst.toFixed(2)} s** (bound: ${BOUNDS.worstS} s); an event that is there before counts as 0. ${gaps} gaps were told, ${duplicates} events came twice. ${machine()}

What this does not show: a proxy in between, and a service that is away for longer, though a wait never is longer than \`retryMaxMs\`.`
  const violations = violated([
    [middle <= BOUNDS.medianS, `The median is ${middle.toFixed(2)} s.`],
    [worst <= BOUNDS.worstS, `The worst is ${worst.toFixed(2)} s.`],
  ])
  return { text, violations }
}
