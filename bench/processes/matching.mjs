// A bus whose swaps are of no wallet that anybody wants, and who looks at them: `endpoints`, a webhook for each wallet, `client`,
// one connection of a gateway with all of them, or `nobody`. Measures the processor time of an event.
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { makeSlot } from '../harness/events.mjs'
import { log, openGateway } from '../harness/gateway.mjs'
import { listen } from '../harness/listen.mjs'
import { product } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'

const { createInProcessBus } = await product('packages/bus/src/index.ts')
const { systemClock } = await product('packages/basics/src/clock.ts')

/** The first ones are before the compiler has settled. */
const PASSES = 12
const SLOTS = 100
const SWAPS = 200
/** Milliseconds after the last slot in which everything is looked at. */
const SETTLED_MS = 200

const bus = createInProcessBus({ maxBytes: 32 * 1024 * 1024 })
await bus.publish(makeSlot(1))
if (args.who === 'endpoints') await openEndpoints()
const port = args.who === 'client' && (await listen(openGateway({ bus }).server))
serve({ port }, { measure })

async function openEndpoints() {
  const { StreamReader } = await product('apps/api/src/webhooks/stream-reader.ts')
  const { readWebhookParams } = await product('apps/api/src/webhooks/read-params.ts')
  const reader = new StreamReader({ bus, clock: systemClock, log })
  const readTo = await bus.newestCursor()
  for (const wallet of args.wallets)
    reader.read({
      accountId: wallet,
      interest: readWebhookParams('swap', { include: { walletAccount: [wallet] } }),
      readTo,
      take: () => process.exit(1), // nobody trades with these wallets
      isLost: () => process.exit(1),
      isOver: false,
    })
  while (reader.level < args.wallets.length) await wait(10)
}

/** Microseconds of the cheapest pass: other work on the machine only makes one dearer. */
async function measure() {
  let least = Number.POSITIVE_INFINITY
  for (let pass = 0; pass < PASSES; pass++) {
    const slots = Array.from({ length: SLOTS }, () => makeSlot(SWAPS))
    globalThis.gc?.()
    const before = process.cpuUsage()
    for (const events of slots) {
      await bus.publish(events)
      await setImmediate()
    }
    await wait(SETTLED_MS)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / (SLOTS * SWAPS))
  }
  return least
}
