import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { processorMs, runAlone, startService, temporaryFolder } from '../harness/processes.mjs'
import { machine, mb } from '../harness/results.mjs'

export const title = 'The street'
export const about =
  'The simulator at 6,000 swaps a second through decoders, bus, store and gateway to clients, counted event by event; then what the whole service costs at its default pace.'
export const options = {
  seconds: [60, 'for each half'],
  swaps: [6_000, 'a second, as many as the simulator makes'],
}

const CLIENTS = 3
const IDLE_PACE = 50

export async function* run({ seconds, swaps }) {
  const street = await runAlone('street', { folder: temporaryFolder(), seconds, swaps, clients: CLIENTS })
  const idle = await measureIdle(seconds)
  const text = `## ${title}

${machine()} One run of ${seconds} s each.

| what | seen |
|---|---|
| simulator at ${swaps} swaps/s, decoded, published, kept on the disk, sent to ${CLIENTS} clients that check every cursor | ${street.published} events published, ${street.received} received, ${street.missing} missing, ${street.outOfOrder} out of order |
| events a second over the run | ${Math.round(street.published / seconds)} |
| cores used by simulator, decoders, bus, store, gateway and the clients together | ${street.cores.toFixed(2)} |
| the whole service at ${IDLE_PACE} swaps/s without a client | ${(idle.cores * 100).toFixed(1)} % of a core, ${mb(idle.bytes)} resident |

What this does not show: a network between, more clients (see fan-out), transactions of other programs, which a live source also carries.`
  yield { text }
}

/** Core use of the service as run by `npm start`, after it has settled. Linux only: read from /proc. */
async function measureIdle(seconds) {
  const service = await startService({ SOLANA_SOURCE: `simulator?swaps=${IDLE_PACE}&history=0` })
  await wait(5_000)
  const before = processorMs(service.pid)
  await wait(seconds * 1_000)
  const cores = (processorMs(service.pid) - before) / 1_000 / seconds
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8')
  await service.stop()
  return { cores, bytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024 }
}
