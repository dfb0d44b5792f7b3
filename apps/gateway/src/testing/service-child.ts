import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { createInProcessBus, openEventStore } from '@pairwire/bus'
import { blockCursor, eventsOf } from '@pairwire/bus/testing/chain-of-slots'
import type { StreamEvent } from '@pairwire/contract'
import { createGateway } from '../gateway.ts'
import { EARLY_LEAD, earlyOf } from './early-of-slots.ts'
import { NARROW_HEADER, NarrowLine } from './narrow-line.ts'
import { createRestartAccounts } from './restart-accounts.ts'

// The whole pipeline in its own process, which a test ends: `service-child.ts <folder> <slots missed>`. It continues
// after what it kept, as a live chain does, sends early what it will publish, and reports a gap for missed slots. It
// sends its port, then obeys `rest` (publish no more, and send the last slot). SIGTERM is a clean stop.

/** Milliseconds between two slots, and slots published at once at the start, to catch up with the clients. */
const SLOT_MS = 8
const AT_ONCE = 60

/**
 * Clients that ask for a narrow connection have one for a number of slots, and then a wide one for as many, so that
 * they fall behind the live stream and catch up again. In bytes: what it takes before the first slot, and with each.
 */
const NARROW_SLOTS = 12
const NARROW_BYTES = 4 * 1024
const NARROW_SLOT_BYTES = 512

const [folder, slotsAway] = process.argv.slice(2) as [string, string]
const log = { info() {}, warn: console.error, error: console.error }
const store = await openEventStore({
  folder: join(folder, 'events'),
  source: 'chain',
  // Small files, so that the service also ends between two of them; everything is kept.
  retention: { milliseconds: 86_400_000, bytes: 64_000_000 },
  now: Date.now,
  log,
})
const bus = createInProcessBus({ maxBytes: 200_000, store })
const gateway = createGateway({
  bus,
  accounts: createRestartAccounts(join(folder, 'counts')),
  log,
  source: 'chain',
  servesEarly: true,
  docsUrl: 'http://localhost/docs',
  supportEmail: 'support@pairwire.example',
  clientAddress: () => '127.0.0.1',
  limits: {
    connectsPerSecondPerAddress: 1e6,
    connectsPerSecondPerKey: 1e6,
    connectsBurstPerKey: 1e6,
    requestsPerSecond: 1e6,
    requestsBurst: 1e6,
    resumesPerMinute: 1e6,
    outboxMaxBytes: 32 * 1024,
    recentEvents: 256,
    replayedEventsKept: 1_024,
    countEveryMs: 50,
  },
})

const lines = new Set<NarrowLine>()
let isResting = false
/** Driven by the stream's progress and not by time, so that a busy machine changes no client's speed. */
const roomInSlot = () =>
  isResting || slot % (2 * NARROW_SLOTS) >= NARROW_SLOTS ? Number.POSITIVE_INFINITY : NARROW_SLOT_BYTES
const narrowed = (socket: Duplex): Duplex => {
  const line = new NarrowLine(socket, NARROW_BYTES)
  lines.add(line)
  line.on('close', () => lines.delete(line))
  if (isResting) line.widen(roomInSlot())
  return line
}

const newest = await bus.newestCursor()
let slot = newest === undefined ? 0 : Number(newest.split('-')[1])
if (newest !== undefined && Number(slotsAway) > 0) {
  const fromSlot = slot + 1
  slot += Number(slotsAway)
  const params = { fromSlot, toSlot: slot, cause: 'deploy' as const, resume_from: null }
  await bus.publish([{ kind: 'gap', cursor: blockCursor(slot), params }])
}
const firstSlot = slot + 1

const publishNext = () => {
  slot++
  const events: readonly StreamEvent[] = eventsOf(slot)
  if (bus.wantsEarly()) for (const message of earlyOf(slot + EARLY_LEAD)) bus.publishEarly(message)
  void bus.publish(events)
  for (const line of lines) line.widen(roomInSlot())
}
for (let made = 0; made < (firstSlot === 1 ? 1 : AT_ONCE); made++) publishNext()
const publishing = setInterval(publishNext, SLOT_MS)

const server = createServer()
server.on('upgrade', (request, socket, head) =>
  gateway.handleUpgrade(request, request.headers[NARROW_HEADER] ? narrowed(socket) : socket, head),
)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
process.send!({ port: (server.address() as AddressInfo).port, firstSlot })
process.on('message', () => {
  clearInterval(publishing)
  isResting = true
  for (const line of lines) line.widen(roomInSlot())
  process.send!({ lastSlot: slot })
})
process.on('SIGTERM', async () => {
  clearInterval(publishing)
  await gateway.close()
  await bus.close()
  process.exit(0)
})
