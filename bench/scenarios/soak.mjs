import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { watchMachine } from '../harness/machine.mjs'
import { LONG_MS, longestBeside, RESOLUTION_MS } from '../harness/pauses.mjs'
import { createAccounts, start, startService, temporaryFolder } from '../harness/processes.mjs'
import { openAllRecordings, product } from '../harness/product.mjs'
import { machine, mb, median, ms, violated, whole } from '../harness/results.mjs'

export const title = 'The soak'
export const about =
  'The whole service in one process decodes a stream of 1,500 swaps a second beside 1,000 filtered clients: the longest pause of its event loop, and whether its memory stays flat.'
export const options = { minutes: [30, 'after the warm-up'], clients: [1_000, 'clients'] }
export const needsRecordings = true

/** Swaps in a hundred of them: 89. */
const TRANSACTIONS_PER_SECOND = 1_700
const SWAPS_PER_SECOND = 1_500
/** Addresses in a filter, and how many of them are traded in the stream. */
const ADDRESSES = 10
const TRADED = 2

const BOUNDS = { p999Ms: 10, longestMs: 30, growth: 1.05 }

export async function* run({ minutes, clients: count }) {
  const warmUpSeconds = Math.min(120, (minutes * 60) / 3)
  const folder = temporaryFolder()
  const figuresFile = join(folder, 'figures.ndjson')
  const dataFolder = join(folder, 'data')

  const feeder = await start('feeder', { rate: TRANSACTIONS_PER_SECOND }, { isElsewhere: true })
  // A first start creates the folder, so that accounts can be created in it while nothing runs.
  await (await startService({ DATA_DIR: dataFolder })).stop()
  const subscribers = await makeClients(dataFolder, count)
  const service = await startService({
    DATA_DIR: dataFolder,
    SOLANA_SOURCE: `yellowstone+http://127.0.0.1:${feeder.ready.port}`,
    CONNECT_RATE_PER_ADDRESS: '100000',
    SOAK_FIGURES: figuresFile,
    NODE_OPTIONS: `--import ${new URL('../processes/watched.mjs', import.meta.url).href} ${process.env.SOAK_NODE_OPTIONS ?? ''}`,
  })
  const machineWatch = await watchMachine()
  const clients = await start('people', { url: service.url.replace('http', 'ws') }, { isElsewhere: true })
  await clients.ask('open', { clients: subscribers })
  await feeder.ask('start')
  console.log(`${count} clients are connected; ${warmUpSeconds} s of warm-up, then ${minutes} minutes.`)

  await wait(warmUpSeconds * 1_000)
  process.kill(service.pid, 'SIGUSR2')
  await machineWatch.begin()
  const look = async () => ({
    ...(await clients.ask('read')),
    ...(await readMetrics(service)),
    at: Date.now(),
  })
  const before = await look()
  for (let minute = 1; minute <= minutes; minute++) {
    await wait(60_000)
    const { p999Ms, longestMs, ownBytes } = readFigures(figuresFile).at(-1)
    console.log(`${minute} min: p99.9 ${ms(p999Ms)}, longest ${ms(longestMs)}, ${mb(ownBytes)}`)
  }
  await wait((minutes % 1) * 60_000)
  const after = await look()
  const figures = readFigures(figuresFile).filter(({ at }) => at > before.at + 2_000)
  const seen = await machineWatch.read()
  for (const child of [clients, machineWatch, feeder, service]) await child.stop()
  yield describe({ minutes, count, before, after, figures, seen })
}

/** An account each, created while no service runs, and filters of which a part is traded. */
async function makeClients(dataFolder, count) {
  const { encodeBase58 } = await product('packages/contract/src/index.ts')
  const { FOLDERS, recordings } = await openAllRecordings()
  const rows = FOLDERS.flatMap((folder) => [...recordings.readExpected(folder).values()].flat())
  const traded = [
    ...new Set(rows.flatMap(({ kind, baseMint }) => (kind === 'swap' && baseMint ? [baseMint] : []))),
  ]
  const emails = Array.from({ length: count }, (_, at) => `soak-${at}@pairwire.example`)
  const keys = createAccounts(dataFolder, emails)
  return keys.map((key, client) => {
    const baseTokenMint = Array.from({ length: ADDRESSES }, (_, at) =>
      at < TRADED
        ? traded[(client * TRADED + at) % traded.length]
        : encodeBase58(Buffer.alloc(32, `${client} ${at}`)),
    )
    return { key, params: { include: { baseTokenMint } } }
  })
}

/** From the metrics: swaps published, events sent, holes and slots missed. */
async function readMetrics({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text()
  const sum = (pattern) => [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0)
  return {
    swaps: sum(/^pairwire_events_total\{[^}]*kind="swap"\} (\d+)/gm),
    sent: sum(/^pairwire_gateway_sent_events_total (\d+)/gm),
    missed: sum(/^pairwire_source_slots_missed_total (\d+)/gm),
  }
}

function readFigures(file) {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function describe({ minutes, count, before, after, figures, seen }) {
  const seconds = (after.at - before.at) / 1_000
  const last = figures.at(-1)
  const swaps = (after.swaps - before.swaps) / seconds
  const quarter = Math.max(1, Math.floor(figures.length / 4))
  const [firstBytes, lastBytes] = [figures.slice(0, quarter), figures.slice(-quarter)].map((part) =>
    median(part, 'ownBytes'),
  )
  const pauses = figures.flatMap((each) => each.pauses)
  // A pause of every core at once is not the service's, if it is known for certain.
  const longestMs = seen.isRealTime
    ? Math.min(last.longestMs, Math.max(LONG_MS, longestBeside(pauses, seen.pauses)))
    : last.longestMs
  const violations = violated([
    [swaps >= SWAPS_PER_SECOND, `It decoded ${whole(swaps)} swaps a second, fewer than ${SWAPS_PER_SECOND}.`],
    [
      last.p999Ms <= BOUNDS.p999Ms,
      `The event loop's p99.9 is ${ms(last.p999Ms)}, above ${BOUNDS.p999Ms} ms.`,
    ],
    [
      longestMs < BOUNDS.longestMs,
      `The longest pause is ${ms(longestMs)}, not below ${BOUNDS.longestMs} ms.`,
    ],
    [lastBytes <= firstBytes * BOUNDS.growth, `Memory grew from ${mb(firstBytes)} to ${mb(lastBytes)}.`],
    [
      after.closed === 0 && after.refused === 0,
      `${after.closed} clients were closed, ${after.refused} refused.`,
    ],
    [
      after.gaps === 0 && after.missed === 0,
      `${after.gaps} gap frames came, ${after.missed} slots were missed.`,
    ],
  ])
  const text = `## ${title}

The whole service in one process: a Yellowstone stream of ${whole(TRANSACTIONS_PER_SECOND)} transactions a second in blocks of a quarter of a second, ${whole(count)} websocket clients of an account each with a filter of ${ADDRESSES} mints, of which ${TRADED} are traded; feeder and clients are a process each, of the lowest priority, since they stand for other machines. One run of ${minutes} minutes after its warm-up.
${machine()}

| what | seen | bound |
|---|---|---|
| swaps decoded and published a second | ${whole(swaps)} | ${whole(SWAPS_PER_SECOND)} |
| frames that clients received a second | ${whole((after.received - before.received) / seconds)} | |
| event loop, looked at every ${RESOLUTION_MS} ms: p50, p99 | ${ms(last.p50Ms)}, ${ms(last.p99Ms)} | |
| event loop: p99.9 | ${ms(last.p999Ms)} | ${BOUNDS.p999Ms} ms |
| event loop: longest pause${seen.isRealTime ? ' while the machine ran' : ''} | ${ms(longestMs)} | ${BOUNDS.longestMs} ms |
| event loop: longest pause by the clock | ${ms(last.longestMs)} | |
| ${seen.isRealTime ? 'processes beside that do nothing, one a core, ahead of all others' : 'a process beside that does nothing'}: p99.9, longest pause of any | ${ms(seen.p999Ms)}, ${ms(seen.longestMs)} | |
| cores used | ${(last.cpuSeconds / seconds).toFixed(2)} | |
| memory, first and last quarter: resident, without pages of files | ${mb(firstBytes)}, ${mb(lastBytes)} | ${Math.round((BOUNDS.growth - 1) * 100)} % more |
| gaps said, clients closed | ${after.gaps}, ${after.closed} | 0, 0 |

What this does not show: a network and TLS between, clients that come and go or read slowly. A pause is what passes between two looks at the loop, also where other work on the machine had the core. Where the system lets it, a process on each core looks at its own loop in the same way and does nothing else, of a real-time priority, so that nothing on the machine can hold it up: while all of them stand still at once, no core of the machine runs, as on a host that gives its processors to others. Such times are not the service's, and its longest pause is told without them and with them; what is shorter than ${LONG_MS} ms, or holds up one core alone, is left with the service.`
  return { text, violations }
}
