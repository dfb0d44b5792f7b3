// How soon: `npm run bench -- early`. From the source's message that carries an event, or that completes its slot, to
// the sockets of a thousand filtered clients, with reading, decoding, bus and gateway in one process as in production.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { keepSection, machine } from '../results.mjs'

const CLIENTS = 1_000
const SWAPS_PER_SECOND = 1_500

/** `--seconds N` for each commitment, 20 by default; `--dry` keeps nothing. */
export async function run(args) {
  const seconds = Number(args[args.indexOf('--seconds') + 1]) || 20
  const early = await measure('processed', seconds)
  const confirmed = await measure('confirmed', seconds)

  const row = (name, { p50, p99, max, count, a, b }) =>
    `| ${name} | ${p50} ms | ${p99} ms | ${max} ms | ${count} events, of ${a} transactions that came in; ${b} frames sent |`
  const section = `## Early events

${machine()} ${CLIENTS} clients with a filter of one pool each, ${SWAPS_PER_SECOND} swaps/s, ${seconds} s for each commitment.

| commitment | p50 | p99 | most | seen by every tenth client |
|---|---|---|---|---|
${row('processed, from the message that carries the event', early)}
${row('confirmed, from the message that completes the slot', confirmed)}

What this does not show: gRPC and the network on the way in, and a network on the way out.`
  console.log(section)
  if (!args.includes('--dry')) keepSection('early', section)
}

/** The service and the clients in a process each, which tell times by the machine's own clock. */
async function measure(commitment, seconds) {
  const start = (name, execArgv, ...args) =>
    fork(fileURLToPath(new URL(name, import.meta.url)), args.map(String), { execArgv })
  // The market that was made beforehand is not a service's to collect.
  const service = start('./service.mjs', ['--expose-gc'], SWAPS_PER_SECOND, seconds)
  const [{ port, pools }] = await once(service, 'message')
  const clients = start('./clients.mjs', [], port, CLIENTS, commitment)
  try {
    clients.send({ pools })
    await once(clients, 'message')
    service.send(commitment)
    const [{ stamps, sent }] = await once(service, 'message')
    clients.send({ end: true })
    const [{ arrivals }] = await once(clients, 'message')

    const key = commitment === 'processed' ? 'executed' : 'confirmed'
    const waits = arrivals.flatMap(([signature, at]) => {
      const stamp = stamps[signature]?.[key]
      return stamp === undefined ? [] : [at - stamp]
    })
    waits.sort((one, other) => one - other)
    const part = (share) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))]?.toFixed(2)
    return {
      ...{ p50: part(0.5), p99: part(0.99), max: part(1), count: waits.length },
      a: Object.keys(stamps).length,
      b: sent,
    }
  } finally {
    service.kill()
    clients.kill()
  }
}
