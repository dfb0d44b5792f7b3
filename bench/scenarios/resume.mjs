import { setTimeout as wait } from 'node:timers/promises'
import { watchMachine } from '../harness/machine.mjs'
import { LONG_MS, longestBeside } from '../harness/pauses.mjs'
import { runAlone, SERVICE_FLAGS, start, subscriber, temporaryFolder } from '../harness/processes.mjs'
import { product } from '../harness/product.mjs'
import { latencies, machine, mb, ms, show, violated, whole } from '../harness/results.mjs'

export const title = 'Resuming'
export const about =
  '200 clients that reconnect at once and resume two minutes of 1,500 swaps a second: the effect on live clients, and how fast the others catch up; then 200 accounts that resume at old cursors of a full store again and again, beside 40 that replay from there.'
export const options = {
  hour: [false, 'only one client that resumes an hour, or as much of it as is written in 150 s'],
  old: [false, 'only those that resume at old cursors'],
  seconds: [70, 'of resuming at old cursors'],
}

const LIVE = 20
const RESUMING = 200
const MEASURED_MS = 20_000
const LIVE_PACE = { perSecond: 1_500, everyMs: 400 }

/** Seconds in which the store of an hour is written. */
const FILL_S = 150

const OLD_FILES = 24
const HONEST = 20
const REPLAYING = 40
const PING_EVERY_MS = 100
const SETTLED_MS = 10_000
const BARE_MS = 20_000
const BOUNDS = { liveP99Ms: 50, moreMB: 100, longestMs: 30, p99Ms: 25 }

export const besideRounds = 3

export async function figures({ seconds }, checkout) {
  const { p50Ms, p99Ms, cores, mostBytes, replayedPerSecond } = await measure(2, RESUMING, 0, checkout)
  const { bare, during } = await measureOldPlaces(seconds, checkout)
  return {
    'live clients while 200 resume': { p50Ms, p99Ms, cores, mostBytes, replayedPerSecond },
    'honest clients while 200 resume at old places': {
      ...latencies(during.pings),
      longestMs: during.longestMs,
      moreBytes: during.cost.mostBytes - bare.cost.rssBytes,
    },
  }
}

export async function* run({ hour, old, seconds }) {
  if (hour) {
    yield { name: 'resume-hour', ...describeHour(await measure(60, 1, FILL_S)) }
    return
  }
  if (!old) {
    const alone = show('live clients alone', await measure(2, 0))
    const many = show(`${RESUMING} resume two minutes`, await measure(2, RESUMING))
    yield describe(alone, many)
  }
  yield { name: 'resume-old', ...describeOld(await measureOldPlaces(seconds)) }
}

/** Live clients beside some that resume this many minutes at once. */
async function measure(minutes, resuming, fillSeconds = 0, checkout = undefined) {
  const folder = temporaryFolder()
  const mostMs = fillSeconds > 0 ? fillSeconds * 1_000 : undefined
  const kept = await runAlone('filler', { folder, minutes, mostMs }, { checkout })
  const service = await start('service', { folder, pace: LIVE_PACE }, { checkout, execArgv: SERVICE_FLAGS })
  const live = await start('readers', { looks: 'times' })
  const others = await start('readers', {}, { isElsewhere: true })
  try {
    const { formatCursor } = await product('packages/contract/src/index.ts')
    const from = formatCursor({ run: 1, slot: kept.first, transactionIndex: 0, eventIndex: 0 })
    const { port } = service.ready
    await live.ask('open', { count: LIVE, client: subscriber(port) })
    await service.ask('start')
    await wait(2_000)
    const all = [service, live, others]
    for (const child of all) await child.ask('begin')
    const client = subscriber(port, { resume_from: from })
    await others.ask('open', { count: resuming, client, atOnce: 1 })
    await wait(MEASURED_MS)
    const [cost, seen, caught] = await Promise.all(all.map((child) => child.ask('read')))
    const { messagesPerSecond: replayedPerSecond } = caught
    const { cores, startBytes, rssBytes, mostBytes, heldBytes } = cost
    return {
      ...{ minutes: kept.minutes, cores, startBytes, rssBytes, mostBytes, heldBytes, replayedPerSecond },
      ...latencies(seen.latencies),
    }
  } finally {
    await Promise.all([others.stop(), live.stop(), service.stop()])
  }
}

async function measureOldPlaces(seconds, checkout) {
  const folder = temporaryFolder()
  const kept = await runAlone('filler', { folder, files: OLD_FILES }, { checkout })
  console.log(`${kept.events} events are kept in ${mb(kept.bytes)}.`)
  const machineWatch = await watchMachine()
  const service = await start(
    'service',
    {
      ...{ folder, isProduction: true, isPacked: true, watchesLoop: true, pace: LIVE_PACE },
    },
    { checkout, execArgv: SERVICE_FLAGS },
  )
  const url = `ws://127.0.0.1:${service.ready.port}/`
  const crowd = await Promise.all(
    [HONEST, RESUMING, REPLAYING].map((_, at) => start('people', { url }, { isElsewhere: at > 0 })),
  )
  const [honest, resuming, replaying] = crowd
  try {
    for (const [at, count] of [HONEST, RESUMING, REPLAYING].entries()) {
      const clients = Array.from({ length: count }, (_, number) => ({
        key: `${at}${String(number).padStart(31, '0')}`,
      }))
      await crowd[at].ask('open', { clients })
    }
    await service.ask('start')
    await honest.ask('ping', { everyMs: PING_EVERY_MS })
    await wait(SETTLED_MS)

    const look = async (forMs) => {
      await Promise.all([...[service, ...crowd].map((child) => child.ask('begin')), machineWatch.begin()])
      await wait(forMs)
      const [cost, pinged, ...others] = await Promise.all(
        [service, ...crowd].map((child) => child.ask('read')),
      )
      const seen = await machineWatch.read()
      return {
        ...{ cost, pings: pinged.latencies, others, machineMs: seen.longestMs },
        longestMs: longestBeside(cost.pauses, seen.isRealTime ? seen.pauses : []),
        byClockMs: longestBeside(cost.pauses, []),
      }
    }
    const bare = await look(BARE_MS)
    const slots = { first: kept.first, last: kept.last - 1_000 }
    await Promise.all([resuming.ask('resumeAgain', slots), replaying.ask('replay', slots)])
    const during = await look(seconds * 1_000)
    return { kept, openMs: service.ready.openMs, seconds, bare, during }
  } finally {
    await Promise.all([...crowd, service, machineWatch].map((child) => child.stop()))
  }
}

function describe(alone, many) {
  const row = (name, { p50Ms, p99Ms, cores, rssBytes, replayedPerSecond }) =>
    `| ${name} | ${ms(p50Ms)} | ${ms(p99Ms)} | ${cores.toFixed(2)} | ${mb(rssBytes)} | ${whole(replayedPerSecond)} |`
  const text = `## ${title}

${LIVE} live clients without a filter at 1,500 swaps/s, in bursts of a slot, while ${RESUMING} others resume two minutes (180,000 swaps of 600 bytes) at once; ${MEASURED_MS / 1000} s from the moment when they came. The service, the live clients and the others are a process each. ${machine()}

| | live p50 | live p99 (bound: ${BOUNDS.liveP99Ms} ms) | service's cores | its memory | replayed a second |
|---|---|---|---|---|---|
${row('nobody resumes', alone)}
${row(`${RESUMING} resume`, many)}

What this does not show: real networks, which are slower than loopback and so ask for less at a time. All processes share the two cores.`
  return { text, violations: liveViolations(many) }
}

function describeHour(seen) {
  const { minutes, p50Ms, p99Ms, maxMs, cores, startBytes, mostBytes, heldBytes, replayedPerSecond } = seen
  const text = `## Resuming an hour

${LIVE} live clients without a filter at 1,500 swaps/s, in bursts of a slot, while one other resumes ${minutes.toFixed(1)} minutes (${((minutes * 90_000) / 1e6).toFixed(1)} million swaps); ${MEASURED_MS / 1000} s from the moment when it came. The service, the live clients and the other are a process each. ${machine()}

Live p50 ${ms(p50Ms)}, p99 **${ms(p99Ms)}** (bound: ${BOUNDS.liveP99Ms} ms), longest ${ms(maxMs)}; ${whole(replayedPerSecond)} swaps replayed a second; ${cores.toFixed(2)} of a core for the service, whose memory was ${mb(startBytes)} before and ${mb(mostBytes)} at most, ${(heldBytes / 1e6).toFixed(1)} MB of it behind outboxes at the end.

What this does not show: swaps of a real chain, which pack less well than these.`
  return { text, violations: liveViolations(seen) }
}

function liveViolations({ p99Ms }) {
  return violated([
    [p99Ms <= BOUNDS.liveP99Ms, `The live p99 is ${ms(p99Ms)}, above ${BOUNDS.liveP99Ms} ms.`],
  ])
}

function describeOld({ kept, openMs, seconds, bare, during }) {
  const row = (name, { cost, pings, longestMs, byClockMs, machineMs }) => {
    const { p50Ms, p99Ms } = latencies(pings)
    return `| ${name} | ${ms(p50Ms)} | ${ms(p99Ms)} | ${ms(longestMs)} | ${ms(byClockMs)} | ${ms(machineMs)} | ${cost.cores.toFixed(2)} | ${mb(cost.rssBytes)}, ${mb(cost.mostBytes)} |`
  }
  const { p99Ms } = latencies(during.pings)
  const moreMB = (during.cost.mostBytes - bare.cost.rssBytes) / 1e6
  const [resuming, replaying] = during.others
  const text = `## Resuming at old places

A store of ${OLD_FILES} files of 16 MB (${(kept.events / 1e6).toFixed(1)} million swaps, opened in ${ms(openMs)}), 1,500 swaps/s. ${RESUMING} accounts resume at random old places again and again: a subscribe whose filter nothing meets, its answer, the unsubscribe, the next; a refused one waits a quarter of a second. ${REPLAYING} more replay from old places with such a filter. Beside them ${HONEST} honest ones ask for a ping ten times a second each. ${BARE_MS / 1_000} s with all of them connected and quiet, then ${seconds} s. Service, honest clients and the others are a process each; the others are of the lowest priority. ${machine()}

| | ping p50 | p99 (bound: ${BOUNDS.p99Ms} ms) | longest stretch of the main thread while the machine ran (bound: ${BOUNDS.longestMs} ms) | the same by the clock | longest of a process beside that does nothing | service's cores | its memory, median and most |
|---|---|---|---|---|---|---|---|
${row('all connected, nobody resumes', bare)}
${row(`${RESUMING} resume, ${REPLAYING} replay`, during)}

**${moreMB.toFixed(0)} MB** more than idle (bound: ${BOUNDS.moreMB} MB). ${whole(resuming.resumed)} resumes were answered, ${whole(resuming.refused)} refused (60 a minute for an account); ${replaying.resumed} replays went on all the time.

A stretch is what passes between two looks at the loop, ${LONG_MS} ms at least. What this does not show: a disk that is slower than this machine's memory of its files.`
  const violations = violated([
    [moreMB <= BOUNDS.moreMB, `Memory grew by ${moreMB.toFixed(0)} MB, more than ${BOUNDS.moreMB}.`],
    [
      during.longestMs <= BOUNDS.longestMs,
      `The main thread stood for ${ms(during.longestMs)}, more than ${BOUNDS.longestMs} ms.`,
    ],
    [p99Ms <= BOUNDS.p99Ms, `An honest ping's p99 is ${ms(p99Ms)}, above ${BOUNDS.p99Ms} ms.`],
    [
      during.cost.connections === bare.cost.connections,
      `Of ${bare.cost.connections} connections ${during.cost.connections} were left.`,
    ],
  ])
  return { text, violations }
}
