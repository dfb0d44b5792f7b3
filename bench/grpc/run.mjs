// From gRPC bytes to events: `npm run bench -- grpc`. Microseconds of processor time a transaction from the socket to the
// bus, beside the protocol owners' client with solana-dex-parser behind it, on the same stream.
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { keepSection, machine, median } from '../results.mjs'
import { CONTENDERS } from './contender.mjs'

const ROUNDS = 3
const WARM_UP_S = 6
const MEASURED_S = 8

export const needsRecordings = true

/** `--dry` prints only. */
export async function run(args) {
  const feeder = fork(fileURLToPath(new URL('feeder.mjs', import.meta.url)))
  const [stream] = await once(feeder, 'message')
  const rows = Object.fromEntries(CONTENDERS.map((name) => [name, []]))
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      for (const name of CONTENDERS) {
        const row = measureAlone(name, stream.port)
        rows[name].push(row)
        console.log(`${round}/${ROUNDS} ${name}: ${(1e6 / row.perCore).toFixed(1)} us a transaction`)
      }
    }
  } finally {
    feeder.kill()
  }
  const section = describe(rows, stream)
  console.log(`\n${section}`)
  if (!args.includes('--dry')) keepSection('grpc', section)
}

/** Each in a process of its own, on a connection of its own. */
function measureAlone(name, port) {
  const contender = fileURLToPath(new URL('contender.mjs', import.meta.url))
  const args = [contender, name, port, WARM_UP_S, MEASURED_S].map(String)
  const output = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { transactions, events, seconds, cpuSeconds } = JSON.parse(output.trim().split('\n').at(-1))
  return {
    perCore: transactions / cpuSeconds,
    perSecond: transactions / seconds,
    cores: cpuSeconds / seconds,
    eventsEach: events / transactions,
  }
}

function describe({ ours, peer }, { transactions, meanBytes }) {
  const middle = (rows, key) => median(rows.map((row) => row[key]))
  const count = (value) => Math.round(value).toLocaleString('en-US')
  const row = (rows) =>
    `${(1e6 / middle(rows, 'perCore')).toFixed(1)} | ${count(middle(rows, 'perCore'))} | ${count(middle(rows, 'perSecond'))} with ${middle(rows, 'cores').toFixed(2)} | ${middle(rows, 'eventsEach').toFixed(2)}`
  const times = middle(ours, 'perCore') / middle(peer, 'perCore')
  return `## From gRPC bytes to events

A Yellowstone stream of ${transactions} transactions again and again, ${count(meanBytes)} bytes each on average, recorded on mainnet or executed by the programs' own binaries and encoded by the owners' \`.proto\`; in blocks, as fast as the client takes them, from a process of its own. Medians of ${ROUNDS} interleaved runs of ${MEASURED_S} s, each in a process of its own after ${WARM_UP_S} s; processor time of all threads, the collector's included.
${machine()}

| from the socket | us of processor time a transaction | transactions a second and core | transactions a second that it reached, with so many cores | events a transaction |
|---|---|---|---|---|
| \`@triton-one/yellowstone-grpc\` 7.0.1, \`solana-dex-parser\` 2.6.7 \`parseAll\` | ${row(peer)} |
| our reader, slot keeper, decoders, prices and tokens, to the bus | ${row(ours)} |

**${count(middle(ours, 'perCore'))} transactions a second on one core** (bound: 15,000), **${times.toFixed(1)} times** the peers in the same run (bound: 8).

What this does not show: TLS and a network between, gzip, and other work in the same process (see the soak). Ours also puts slots together, in order, and adds US dollars and what is known of tokens; the peer decodes more programs, reports transfers and fees too, and counts liquidity with its events.`
}
