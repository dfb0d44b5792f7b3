import { runAlone, SERVICE_FLAGS, start, temporaryFolder } from '../harness/processes.mjs'
import { byTurns, machine, median, whole } from '../harness/results.mjs'

export const title = 'From gRPC bytes to events'
export const about =
  'Microseconds of processor time a transaction from the socket to the bus, beside the protocol owners’ client with solana-dex-parser behind it, on the same stream.'
export const options = { seconds: [8, 'of each run, after its warm-up'] }
export const needsRecordings = true

const ROUNDS = 3
const WARM_UP_S = 6

export async function figures({ seconds }, checkout) {
  const feeder = await start('feeder')
  const { perCore, perSecond, cores } = await measure('ours', feeder, seconds, checkout)
  await feeder.stop()
  return { 'our reader to the bus': { perCore, perSecond, cores } }
}

export async function* run({ rounds, seconds }) {
  const feeder = await start('feeder')
  const turns = rounds || ROUNDS
  const rows = await byTurns(['ours', 'flagged', 'peer'], turns, (name) => measure(name, feeder, seconds))
  await feeder.stop()
  yield { text: describe(rows, feeder.ready, turns, seconds) }
}

/** Each in a separate process, on a separate connection. */
function measure(name, { ready }, seconds, checkout) {
  const args = { name, port: ready.port, folder: temporaryFolder(), warmUpSeconds: WARM_UP_S, seconds }
  return runAlone('grpc-reader', args, { checkout, execArgv: name === 'flagged' ? SERVICE_FLAGS : [] })
}

function describe({ ours, flagged, peer }, { transactions, meanBytes }, rounds, seconds) {
  const row = (rows) =>
    `${(1e6 / median(rows, 'perCore')).toFixed(1)} | ${whole(median(rows, 'perCore'))} | ${whole(median(rows, 'perSecond'))} with ${median(rows, 'cores').toFixed(2)} | ${median(rows, 'eventsEach').toFixed(2)}`
  return `## ${title}

A Yellowstone stream of ${transactions} transactions again and again, ${whole(meanBytes)} bytes each on average, recorded on mainnet or executed by the programs' own binaries and encoded by the owners' \`.proto\`; in blocks, as fast as the client takes them, from a process of its own. Medians of ${rounds} interleaved runs of ${seconds} s, each in a process of its own after ${WARM_UP_S} s; processor time of all threads, the collector's included.
${machine()}

| from the socket | us of processor time a transaction | transactions a second and core | transactions a second that it reached, with so many cores | events a transaction |
|---|---|---|---|---|
| \`@triton-one/yellowstone-grpc\` 7.0.1, \`solana-dex-parser\` 2.6.7 \`parseAll\` | ${row(peer)} |
| our reader, slot keeper, decoders, prices and tokens, to the bus | ${row(ours)} |
| the same with the flags of \`npm start\`, which collect garbage sooner | ${row(flagged)} |

**${whole(median(ours, 'perCore'))} transactions a second on one core** (bound: 15,000), **${(median(ours, 'perCore') / median(peer, 'perCore')).toFixed(1)} times** the peers in the same run (bound: 10).

What this does not show: TLS and a network between, gzip, and other work in the same process (see the soak). Ours also puts slots together, in order, and adds US dollars and what is known of tokens; the peer decodes more programs, reports transfers and fees too, and counts liquidity with its events.`
}
