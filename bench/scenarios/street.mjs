import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { runAlone, startService, temporaryFolder } from '../harness/processes.mjs'
import { machine } from '../harness/results.mjs'

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
| the whole service at ${IDLE_PACE} swaps/s without a client | ${(idle.cores * 100).toFixed(1)} % of a core, ${Math.round(idle.megabytes)} MB resident |

What this does not show: a network between, more clients (see fan-out), transactions of other programs, which a live source also carries.`
  yield { text }
}

/** Core use of the service as `npm start` runs it, after it has settled. Linux only: read from /proc. */
async function measureIdle(seconds) {
  const service = await startService({ SOLANA_SOURCE: `simulator?swaps=${IDLE_PACE}` })
  await wait(5_000)
  const before = readUsage(service.pid)
  await wait(seconds * 1_000)
  const after = readUsage(service.pid)
  await service.stop()
  return { cores: (after.ticks - before.ticks) / 100 / seconds, megabytes: after.kilobytes / 1024 }
}

/** Clock ticks (hundredths of a second) of user and system time, and resident kilobytes. */
function readUsage(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return { ticks: Number(fields[11]) + Number(fields[12]), kilobytes }
}
