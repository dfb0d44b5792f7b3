// Fan-out: `npm run bench -- fanout`. How many events a second reach 1,000 unfiltered connections, beside the ws
// library used naively and beside raw TCP; latency and core use at a fixed rate; what ids of their own cost; the hub's
// index alone. `--ids` measures the ids only; `--beside <older checkout>` full blast and fixed rates by turns with that
// checkout, whose packages are installed; `--scale` how the cost grows with the connections.
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpus, loadavg, release } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { register } from 'tsx/esm/api'
import { keepSection, machine } from '../results.mjs'

const CONNECTIONS = 1_000
const ROUNDS = 3
const WARM_UP_MS = 1_000
const MEASURED_MS = 3_000
const FIXED_RATE = 1_000
/** Events a second to a single client. */
const LOW_RATE = 100
/** Clients that have a subscription id each, or all the same, and the swaps a second that they get. */
const ID_CLIENTS = 600
const ID_RATE = 300
const ID_ROUNDS = 5
const PORT = Number(process.env.BENCH_PORT ?? 21_500)

/** Rounds beside an older checkout; `--rounds <n>` for another number. */
const BESIDE_ROUNDS = 5
/** Connections, and the events a second that make as many messages where nobody has a filter. */
const SCALE = [
  [100, 1_000],
  [1_000, 1_000],
  [5_000, 200],
  [10_000, 100],
]
/** Events a second where everybody has a filter: a fiftieth of them is for each. */
const FILTERED_RATE = 1_500
const HERE = new URL('../../', import.meta.url)

/** Runs all rows, prints them and keeps them in RESULTS.md; `--dry` prints only. */
export async function run(args) {
  register()
  if (args.includes('--beside')) {
    const older = pathToFileURL(`${args[args.indexOf('--beside') + 1]}/`)
    const rounds = args.includes('--rounds') ? Number(args[args.indexOf('--rounds') + 1]) : BESIDE_ROUNDS
    keep('fanout-beside', describeBeside(await measureBeside(older, rounds), rounds), args)
    return
  }
  if (args.includes('--scale')) {
    keep('fanout-scale', describeScale(await measureScale()), args)
    return
  }
  const ids = { one: [], distinct: [] }
  for (let round = 1; round <= ID_ROUNDS; round++) {
    for (const kind of round % 2 === 0 ? ['one', 'distinct'] : ['distinct', 'one'])
      ids[kind].push(show(round, `ids: ${kind}`, await measure('gateway', ID_RATE, ID_CLIENTS, kind)))
  }
  if (args.includes('--ids')) {
    console.log(`\n${describeIds(ids)}`)
    return
  }

  const { measureIndex } = await import('./filters.mjs')
  const modes = ['tcp', 'naive', 'gateway']
  const rows = { tcp: [], naive: [], gateway: [], fixed: [], slots: [], single: [], index: [] }
  for (let round = 1; round <= ROUNDS; round++) {
    for (const mode of modes)
      rows[mode].push(show(round, mode, await measure(mode, 0, CONNECTIONS, 'one', 'whole')))
    rows.fixed.push(show(round, `gateway at ${FIXED_RATE}/s`, await measure('gateway', FIXED_RATE)))
    rows.slots.push(
      show(round, 'the same in slots', await measure('gateway', FIXED_RATE, CONNECTIONS, 'one', 'slots')),
    )
    rows.single.push(show(round, `one client at ${LOW_RATE}/s`, await measure('gateway', LOW_RATE, 1)))
    rows.index.push(show(round, 'index', await measureIndex(HERE)))
  }

  keep('fanout', describe(rows, ids), args)
}

function keep(name, section, args) {
  console.log(`\n${section}`)
  if (!args.includes('--dry')) keepSection(name, section)
}

/** Every row of this checkout and of the older one, by turns; the receiver is always ours. */
async function measureBeside(older, rounds) {
  const shapes = {
    'full blast': [0, CONNECTIONS, 'one', 'even'],
    'full blast, whole turns': [0, CONNECTIONS, 'one', 'whole'],
    [`${FIXED_RATE}/s, even`]: [FIXED_RATE, CONNECTIONS, 'one', 'even'],
    [`${FIXED_RATE}/s, in slots`]: [FIXED_RATE, CONNECTIONS, 'one', 'slots'],
    [`${LOW_RATE}/s to one`]: [LOW_RATE, 1, 'one', 'even'],
  }
  const rows = Object.fromEntries(Object.keys(shapes).map((name) => [name, { older: [], this: [] }]))
  for (let round = 1; round <= rounds; round++) {
    for (const [name, shape] of Object.entries(shapes)) {
      // The older checkout's own sender knows no slots: there the bound of the machine stands beside ours.
      const turns = [
        shape[3] === 'slots' ? ['older', 'tcp', HERE] : ['older', 'gateway', older],
        ['this', 'gateway', HERE],
      ]
      for (const [who, mode, root] of round % 2 === 0 ? turns.reverse() : turns)
        rows[name][who].push(show(round, `${name}, ${who}`, await measure(mode, ...shape, root)))
    }
  }
  const index = { older: [], this: [] }
  for (let round = 1; round <= 2 * rounds; round++) {
    const turns = Object.entries({ older, this: HERE })
    for (const [who, root] of round % 2 === 0 ? turns.reverse() : turns) {
      index[who].push(show(round, `index, ${who}`, measureIndexAlone(root)))
    }
  }
  return { rows, index }
}

/** The index in a process of its own: where its lists lie in memory is a matter of what was there before. */
function measureIndexAlone(root) {
  const script = fileURLToPath(new URL('./filters.mjs', import.meta.url))
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', script, root.href], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(stdout)
}

function describeBeside({ rows, index }, rounds) {
  const cells = (list) =>
    [
      Math.round(median(list, 'messagesPerSecond')).toLocaleString('en'),
      median(list, 'cores').toFixed(3),
      Math.round(median(list, 'messagesPerCore')).toLocaleString('en'),
      median(list, 'p50Ms').toFixed(1),
      median(list, 'p99Ms').toFixed(1),
    ].join(' | ')
  const lines = Object.entries(rows).flatMap(([name, { older, this: ours }]) => [
    `| ${name} | ${name.endsWith('slots') ? 'raw TCP' : 'older'} | ${cells(older)} | |`,
    `| ${name} | this | ${cells(ours)} | ${(median(ours, 'cores') / median(older, 'cores')).toFixed(2)} |`,
  ])
  const [olderIndex, ourIndex] = [index.older, index.this].map((list) => median(list, 'eventsPerSecond'))
  return `## Fan-out beside an older checkout

${CONNECTIONS.toLocaleString('en')} clients without a filter, messages of 600 bytes; medians of ${rounds} runs by turns, ${MEASURED_MS / 1_000} s each, sender and receiver a process each. At full blast ten events come as soon as the sockets have drained: this checkout gives windows a part of each turn of the event loop, and who had none gets twenty with the next; in whole turns it writes to every client in each, as the older one does. Latency from the making of an event to its reading from the socket, of every message in the chunks that are looked at. ${machine()}

| events | checkout | messages a second | cores | messages a second and core | p50, ms | p99, ms | times the processor time |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}

In slots, ${(FIXED_RATE * 0.4).toLocaleString('en')} events come at once. The older checkout's sender knows no slots; raw TCP writes each client the slot's messages in one piece, checks no key, matches nothing and counts nothing: what it takes is the system's, for ${((FIXED_RATE * 0.4 * CONNECTIONS * 604) / 1e6).toFixed(0)} MB a slot on their way through two cores, and no gateway on this machine can take less.

The hub's index alone, a process each, medians of ${2 * rounds} runs by turns: ${thousands(olderIndex)} events a second of processor time in the older checkout, ${thousands(ourIndex)} in this one, **${(ourIndex / olderIndex).toFixed(2)} times**.`
}

async function measureScale() {
  const rows = []
  for (const ids of ['one', 'filtered']) {
    for (const [connections, unfilteredRate] of SCALE) {
      const rate = ids === 'filtered' ? FILTERED_RATE : unfilteredRate
      const row = await measure('gateway', rate, connections, ids)
      rows.push({ ids, connections, rate, ...show(1, `${connections} ${ids} at ${rate}/s`, row) })
    }
  }
  return rows
}

function describeScale(rows) {
  const lines = rows.map(({ ids, connections, rate, cores, messagesPerSecond, p50Ms, p99Ms, bytesEach }) => {
    const each = ((cores * 1e9) / rate / connections).toFixed(0)
    const perMessage = ((cores * 1e9) / messagesPerSecond).toFixed(0)
    const cells = [ids === 'filtered' ? 'ten tokens' : 'none', rate, cores.toFixed(2), each, perMessage]
    return `| ${connections.toLocaleString('en')} | ${cells.join(' | ')} | ${p50Ms.toFixed(1)} | ${p99Ms.toFixed(1)} | ${(bytesEach / 1_000).toFixed(1)} |`
  })
  return `## Fan-out as connections grow

Messages of 600 bytes; one run of ${MEASURED_MS / 1_000} s each, sender and receiver a process each. With a filter each client gets a fiftieth of the events. Memory is what the process has grown by from listening to all being subscribed. ${machine()}

| connections | filter | events a second | cores | ns for an event and connection | ns for a message | p50, ms | p99, ms | kB a connection |
|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}`
}

/** One sender and one receiver, both processes of their own. */
async function measure(mode, rate, connections = CONNECTIONS, ids = 'one', arrival = 'even', root = HERE) {
  const args = [mode, PORT, connections, rate, arrival].map(String)
  const isOurs = root === HERE
  const sender = fork(new URL('bench/fanout/sender.mjs', root), args, { execArgv: ['--expose-gc'] })
  await once(sender, 'message')
  const before = isOurs ? await memoryOf(sender) : 0
  const receiver = fork(
    new URL('./receiver.mjs', import.meta.url),
    [mode, PORT, connections, ids].map(String),
  )
  try {
    await once(receiver, 'message')
    const bytesEach = isOurs ? ((await memoryOf(sender)) - before) / connections : 0
    sender.send('start')
    await wait(WARM_UP_MS)
    sender.send('measure')
    receiver.send('measure')
    await wait(MEASURED_MS)
    sender.send('stop')
    receiver.send('stop')
    const [[cost], [received]] = await Promise.all([once(sender, 'message'), once(receiver, 'message')])
    return { ...received, ...cost, bytesEach, messagesPerCore: received.messagesPerSecond / cost.cores }
  } finally {
    receiver.kill('SIGKILL')
    sender.kill('SIGKILL')
  }
}

async function memoryOf(sender) {
  sender.send('memory')
  const [bytes] = await once(sender, 'message')
  return bytes
}

function show(round, name, row) {
  const figures = Object.entries(row).map(([key, value]) => `${key} ${Math.round(value * 1000) / 1000}`)
  console.log(`${round} ${name}: ${figures.join(', ')}`)
  return row
}

function median(rows, key) {
  const values = rows.map((row) => row[key]).sort((first, second) => first - second)
  return values[values.length >> 1]
}

function describeIds({ one, distinct }) {
  const [oneMedian, distinctMedian] = [one, distinct].map((rows) => median(rows, 'cores'))
  return `${ID_CLIENTS} clients at ${ID_RATE} swaps/s cost the gateway ${oneMedian.toFixed(3)} of a core when all have the same subscription id and ${distinctMedian.toFixed(3)} when each has its own, from 1 to ${ID_CLIENTS}: **${(distinctMedian / oneMedian).toFixed(2)} times** (bound: 1.15; medians of ${ID_ROUNDS} runs in turns).`
}

function describe({ tcp, naive, gateway, fixed, slots, single, index }, ids) {
  const rate = (rows) => median(rows, 'messagesPerSecond')
  const row = (name, rows) =>
    `| ${name} | ${thousands(rate(rows))} | ${median(rows, 'cores').toFixed(2)} | ${thousands(median(rows, 'messagesPerCore'))} | ${Math.round(median(rows, 'rssBytes') / 1e6)} MB |`
  const ratios = (key) => {
    const [tcpMedian, naiveMedian, gatewayMedian] = [tcp, naive, gateway].map((rows) => median(rows, key))
    const share = Math.round((gatewayMedian / tcpMedian) * 100)
    return `**${(gatewayMedian / naiveMedian).toFixed(1)} times** naive \`ws\` (bound: 8) and **${share} %** of raw TCP's joined writes (bound: 85 %)`
  }
  return `## Fan-out

${CONNECTIONS.toLocaleString('en-US')} connections without a filter, messages of 600 bytes of JSON, over loopback; sender and receiver are a process each. Medians of ${ROUNDS} interleaved runs of ${MEASURED_MS / 1000} s after ${WARM_UP_MS / 1000} s of warm-up.
Machine: ${cpus().length} x ${cpus()[0].model.trim()}, Linux ${release()}, Node ${process.versions.node}; load average ${loadavg()[1].toFixed(1)} over the last five minutes, so that a row may have had less than its core.

| sender, as fast as the sockets drain | messages received a second | sender's cores | messages a second and core | sender's memory |
|---|---|---|---|---|
${row('raw TCP, 10 messages joined in one write', tcp)}
${row('`ws`, `send(string)` for each client', naive)}
${row('the gateway, 10 events in a window', gateway)}

For each core that it had, the gateway reaches ${ratios('messagesPerCore')}; by what arrived in the same time, whoever else used the machine, ${ratios('messagesPerSecond')}.

At ${FIXED_RATE.toLocaleString('en-US')} events/s to ${CONNECTIONS.toLocaleString('en-US')} connections, arriving evenly: ${thousands(rate(fixed))} messages/s arrive, ${latency(fixed)}. The same number in slots of ${(FIXED_RATE * 0.4).toLocaleString('en-US')} at once: ${latency(slots)}. At ${LOW_RATE} events/s to one client: ${latency(single)}.

${describeIds(ids)}

The hub's index alone, 5,000 filters of ten accounts, every tenth with a threshold in US dollars: **${thousands(median(index, 'eventsPerSecond'))} events a second of processor time** (bound: 300,000), ${median(index, 'matchesPerEvent').toFixed(0)} filters met by an event; on a sample its answers are those of asking each filter.

What this does not show: clients over a real network, TLS, or a proxy; the cost of sending what the filters matched; connections coming and going; more than one gateway process. The receiver shares the two cores with the sender. Raw TCP makes its JSON too, but checks no key, matches nothing and counts nothing.`
}

function latency(rows) {
  return `p50 ${median(rows, 'p50Ms').toFixed(1)} ms, p99 ${median(rows, 'p99Ms').toFixed(1)} ms, ${median(rows, 'cores').toFixed(2)} of a core for the gateway`
}

function thousands(value) {
  return (Math.round(value / 1_000) * 1_000).toLocaleString('en-US')
}
