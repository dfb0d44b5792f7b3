import { setTimeout as wait } from 'node:timers/promises'
import { runAlone, start } from '../harness/processes.mjs'
import { latencies, machine, ms, show, violated, whole } from '../harness/results.mjs'

export const title = 'Costly frames'
export const about =
  'The latency of honest clients’ pings while 50 accounts send the most expensive frames, as fast as their sockets accept them.'
export const options = { kind: ['', 'only the kinds of frames whose name has this'] }

const ATTACKERS = 50
const HONEST = 5
const PING_EVERY_MS = 50
const MEASURED_MS = 10_000
/** Milliseconds that 99 of 100 pings may take. */
const BOUND_MS = 25

export async function* run({ kind }) {
  const { kinds } = await runAlone('attackers')
  const rows = [show('none', await measure(undefined))]
  for (const name of kinds.filter((each) => each.includes(kind))) rows.push(show(name, await measure(name)))
  yield describe(rows)
}

async function measure(kind) {
  const service = await start('service', { isProduction: true, pace: { perSecond: 200, everyMs: 5 } })
  const { port } = service.ready
  await service.ask('start')
  const honest = await start('people', { url: `ws://127.0.0.1:${port}/` })
  const clients = Array.from({ length: HONEST }, (_, number) => ({
    key: number.toString(16).padStart(32, 'f'),
    params: {},
  }))
  await honest.ask('open', { clients })
  await honest.ask('ping', { everyMs: PING_EVERY_MS })
  const attackers = kind && (await start('attackers', { port, kind, accounts: ATTACKERS }))
  await wait(1_000)
  try {
    await Promise.all([service.ask('begin'), honest.ask('begin')])
    await attackers?.ask('begin')
    await wait(MEASURED_MS)
    const [cost, seen, flood] = await Promise.all([
      service.ask('read'),
      honest.ask('read'),
      attackers?.ask('read') ?? { sent: 0 },
    ])
    if (seen.closed > 0) throw new Error('An honest client was closed.')
    return { kind: kind ?? 'nothing', cores: cost.cores, sent: flood.sent, ...latencies(seen.latencies) }
  } finally {
    await Promise.all([attackers?.stop(), honest.stop(), service.stop()])
  }
}

function describe(rows) {
  const worst = Math.max(...rows.map(({ p99Ms }) => p99Ms))
  const lines = rows.map(
    ({ kind, p50Ms, p99Ms, maxMs, cores, sent }) =>
      `| ${kind} | ${p50Ms.toFixed(1)} | ${p99Ms.toFixed(1)} | ${maxMs.toFixed(1)} | ${cores.toFixed(2)} | ${whole(sent / (MEASURED_MS / 1000))} |`,
  )
  const text = `## ${title}

${ATTACKERS} accounts on Pro send one kind of frame as fast as their sockets take them, and come back when they are closed; ${HONEST} honest clients get all swaps, 200 a second, and send 20 pings a second each. ${MEASURED_MS / 1000} s of each kind, its first moment included; gateway, attackers and honest clients are a process each.
${machine()}

| what the ${ATTACKERS} send | ping p50, ms | p99 | longest | gateway's cores | frames they sent a second |
|---|---|---|---|---|---|
${lines.join('\n')}

The worst p99 is **${ms(worst)}** (bound: ${BOUND_MS} ms). Frames sent are those that the attackers' sockets took; what is beyond an account's allowance waits in them.

What this does not show: upgrades without end, which have rates of their own; TLS; a proxy. The three processes share the machine's cores, so the figures are upper bounds.`
  return {
    text,
    violations: violated([[worst <= BOUND_MS, `A ping's p99 is ${ms(worst)}, above ${BOUND_MS} ms.`]]),
  }
}
