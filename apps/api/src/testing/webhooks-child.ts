import { createAccounts, openDatabase } from '@pairwire/accounts'
import { type Clock, systemClock } from '@pairwire/basics'
import { createInProcessBus, openEventStore } from '@pairwire/bus'
import { createPublicPost } from '@pairwire/public-fetch'
import { WebhookLoop } from '../webhooks/webhook-loop.ts'
import { SLOT_MS, slotEvents } from './webhook-chain.ts'

// An api that delivers webhooks, in a process of its own: `webhooks-child.ts <database> <folder> <begin> <migrations>`. Its
// bus goes on after what it kept, as a live chain does. Time passes a thousand times as fast for waits of the retry table.

const [url, folder, begin, migrationsFolder, fast, leaseMs] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const FAST = Number(fast)
const log = { info() {}, warn() {}, error: (...words: unknown[]) => console.error(...words) }

const clock: Clock = {
  ...systemClock,
  now: () => Number(begin) + (Date.now() - Number(begin)) * FAST,
  // Waits that are not of the table keep some length, or the database would do nothing else.
  after: (ms, callback) =>
    systemClock.after(ms === 10_000 ? 300 : ms > 15_000 ? ms / FAST : Math.min(ms, 50), callback),
}
const { db, barrier, close } = await openDatabase({ url }, { migrationsFolder, log })
const secrets = { keyEncryption: new Uint8Array(32).fill(1), pepper: new Uint8Array(32).fill(2) }
const accounts = createAccounts({ db, barrier, clock: clock.now, secrets })
const store = await openEventStore({
  ...{ folder, source: 'chain', now: Date.now, log },
  retention: { milliseconds: 86_400_000, bytes: 256_000_000 },
})
const bus = createInProcessBus({ maxBytes: 1_000_000, store })
const { post, ...posting } = createPublicPost({ own: [], isLocal: true })
const loop = new WebhookLoop({
  ...{ accounts, bus, simulated: false, hasPlaces: true, clock, log, leaseMs: Number(leaseMs) },
  // A receiver that says nothing is given up soon.
  posting: { ...posting, post: (to, message) => post(to, { ...message, timeLimitMs: 400 }) },
})

const newest = await bus.newestCursor()
let slot = newest === undefined ? 0 : Number(newest.split('-')[1])
let last = Number.POSITIVE_INFINITY
const publish = () => {
  const now = Math.min(last, Math.floor((Date.now() - Number(begin)) / SLOT_MS))
  while (slot < now) void bus.publish(slotEvents(++slot))
}
publish()
setInterval(publish, SLOT_MS / 4)
loop.start()
process.on('message', ({ changed, halt, rest }: { changed?: string; halt?: true; rest?: number }) => {
  if (changed) void bus.sendControl({ type: 'webhooksChanged', accountId: changed })
  if (halt) last = slot
  if (halt) process.send!(slot)
  if (rest) last = rest
})
// Nobody judges what it posts any more.
process.on('disconnect', () => process.exit(1))
process.on('SIGTERM', async () => {
  await loop.stop()
  await bus.close()
  await close()
  process.exit(0)
})
process.send!('ready')
