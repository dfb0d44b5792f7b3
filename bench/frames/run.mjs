// Costly frames: `npm run bench -- frames`. What honest clients' pings take while 50 accounts send the dearest frames
// there are, as fast as their sockets take them.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { register } from 'tsx/esm/api'
import { keepSection, machine } from '../results.mjs'

const ATTACKERS = 50
const HONEST = 5
const MEASURED_MS = 10_000
/** Clients whose filters hold the same accounts and value. */
const WATCHERS = [500, 5_000, 20_000]
const PORT = Number(process.env.BENCH_PORT ?? 21_700)
/** Milliseconds that 99 of 100 pings may take. */
const BOUND_MS = 25

/** Measures each kind of frame, prints the table and keeps it in RESULTS.md; `--dry` prints only, a text picks kinds. */
export async function run(args) {
  register()
  const [{ KINDS }, { measureUpdates }] = await Promise.all([
    import('./kinds.mjs'),
    import('../fanout/filters.mjs'),
  ])
  const wanted = args.find((arg) => !arg.startsWith('--')) ?? ''
  const names = Object.keys(KINDS).filter((name) => name.includes(wanted))
  const rows = [await measure('none', 0)]
  for (const name of names) rows.push(await measure(name, ATTACKERS))

  const updates = []
  for (const clients of WATCHERS) updates.push({ clients, us: await measureUpdates(clients) })

  const section = describe(rows, updates)
  console.log(`\n${section}`)
  if (!args.includes('--dry')) keepSection('frames', section)
}

async function measure(kind, attackers) {
  const service = start('service', PORT)
  await once(service, 'message')
  const client = start('client', PORT, HONEST)
  await once(client, 'message')
  const flood = attackers > 0 ? start('attackers', PORT, kind, attackers) : undefined
  if (flood) await once(flood, 'message')
  await wait(1_000)
  try {
    service.send('measure')
    client.send('measure')
    flood?.send('start')
    await wait(MEASURED_MS)
    for (const child of [service, client, flood]) child?.send('stop')
    const [[cost], [pings], sent] = await Promise.all([
      once(service, 'message'),
      once(client, 'message'),
      flood ? once(flood, 'message').then(([message]) => message.sent) : 0,
    ])
    const row = { kind, ...pings, ...cost, sent }
    console.log(JSON.stringify(row))
    return row
  } finally {
    for (const child of [flood, client, service]) child?.kill('SIGKILL')
  }
}

function start(name, ...args) {
  return fork(new URL(`./${name}.mjs`, import.meta.url), args.map(String))
}

function describe(rows, updates) {
  const worst = Math.max(...rows.map(({ p99Ms }) => p99Ms))
  const ms = (value) => value.toFixed(1)
  const lines = rows.map(
    ({ kind, p50Ms, p99Ms, maxMs, cores, sent }) =>
      `| ${kind} | ${ms(p50Ms)} | ${ms(p99Ms)} | ${ms(maxMs)} | ${cores.toFixed(2)} | ${Math.round(sent / (MEASURED_MS / 1000)).toLocaleString('en-US')} |`,
  )
  return `## Costly frames

${ATTACKERS} accounts on Pro send one kind of frame as fast as their sockets take them, and come back when they are closed; ${HONEST} honest clients get all swaps, 200 a second, and send 20 pings a second each. ${MEASURED_MS / 1000} s of each kind, its first moment included; gateway, attackers and honest clients are a process each.
${machine()}

| what the ${ATTACKERS} send | ping p50, ms | p99 | longest | gateway's cores | frames they sent a second |
|---|---|---|---|---|---|
${lines.join('\n')}

The worst p99 is **${ms(worst)} ms** (bound: ${BOUND_MS} ms). Frames sent are those that the attackers' sockets took; what is beyond an account's allowance waits in them.

One change of a filter in the hub's index, ten accounts and a value that others want too: **${updates.map(({ clients, us }) => `${us.toFixed(1)} us** with ${clients.toLocaleString('en-US')} of them`).join(', **')}.

What this does not show: upgrades without end, which have rates of their own; TLS; a proxy. The three processes share the machine's cores, so the figures are upper bounds.`
}
