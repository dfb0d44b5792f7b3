// A service and the chain that it reads: a market is generated beforehand, as the bytes of a Yellowstone stream, which then
// arrive as from a socket, each message when it is due.
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { now } from '../harness/clock.mjs'
import { log, openGateway } from '../harness/gateway.mjs'
import { listen } from '../harness/listen.mjs'
import { product } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'
import { startTicks } from '../harness/ticks.mjs'
import { createWriteTimes } from '../harness/write-times.mjs'

const { swapsPerSecond, seconds, markets: marketCount, folder } = args
const SLOT_MS = 400
/** Milliseconds between two arrivals of messages; slots between execution and confirmation. */
const TICK_MS = 2
const CONFIRMED_BEHIND = 2
/** Slots at the beginning that are not measured: a service starts once, and its code compiles as it runs. */
const WARM_UP_SLOTS = 12

const { createInProcessBus, openEventStore } = await product('packages/bus/src/index.ts')
const { createIngest, createSimulator } = await product('apps/ingest/src/index.ts')
const { systemClock } = await product('packages/basics/src/clock.ts')
const { createChainSource } = await product('apps/ingest/src/sources/chain/chain-source.ts')
const { readUpdate } = await product('apps/ingest/src/sources/yellowstone/read-update.ts')
const double = await product('packages/chain-double/src/geyser.ts')
const { createChain, toChainTransaction } = await product('packages/chain-double/src/index.ts')
const { decodeTransaction, readRpcTransaction } = await product('packages/decoders/src/index.ts')

const blocks = await makeMarket()
/** The pools of each block's swaps, by transaction. */
const trades = blocks.map(({ transactions }) => transactions.map(poolsOf))
// A service does not hold the chain as objects beside it: garbage collections would include ours.
for (const { transactions } of blocks) for (const transaction of transactions) transaction.record = undefined
globalThis.gc?.()
const retention = { milliseconds: 86_400_000, bytes: 1e10 }
const store = await openEventStore({ folder, source: 'chain', retention, now: Date.now, log })
const bus = createInProcessBus({ maxBytes: 32 * 1024 * 1024, store })
let push
const feed = {
  name: 'bench',
  canReplay: false,
  read: async (parts) => {
    push = parts.push
    await new Promise((resolve) => parts.signal.addEventListener('abort', resolve))
  },
}
const checkpoint = { load: () => undefined, save() {}, settled: async () => {} }
const source = createChainSource({ feeds: [feed], backfill: undefined, checkpoint, clock: systemClock, log })
const ingest = createIngest({ source, bus, clock: systemClock, log })
const { gateway } = openGateway({ bus, servesEarly: true })
const writeTimes = createWriteTimes()
const server = createServer()
  .on('upgrade', (_request, socket) => writeTimes.watch(socket))
  .on('upgrade', gateway.handleUpgrade)
serve({ port: await listen(server), trades }, { play })

/**
 * Each block on the wire: its transactions, its end, and its confirmation. Several markets, since one of the simulator's has
 * some hundred pools however much is traded.
 */
async function makeMarket() {
  const time = Date.now()
  const chain = createChain({ firstSlot: 1_000, firstBlockTime: Math.floor(time / 1_000), slotMs: SLOT_MS })
  const signal = new AbortController().signal
  const markets = Array.from({ length: marketCount }, (_, seed) => {
    let own = time
    const clock = {
      now: () => own,
      elapsed: () => own,
      wait: async (milliseconds) => {
        own += milliseconds
      },
    }
    const market = createSimulator({
      seed,
      swapsPerSecond: swapsPerSecond / marketCount,
      clock,
      nextRun: async () => 1,
    })
    return market.blocks(signal)[Symbol.asyncIterator]()
  })
  const made = []
  while (made.length * SLOT_MS < seconds * 1_000) {
    const parts = await Promise.all(markets.map(async (market) => (await market.next()).value.transactions))
    const longest = Math.max(...parts.map(({ length }) => length))
    const mixed = Array.from({ length: longest }, (_, at) => parts.flatMap((part) => part[at] ?? [])).flat()
    const block = chain.add(mixed.map(toChainTransaction))
    made.push({
      slot: block.slot,
      came: undefined,
      transactions: block.transactions.map((record, index) => ({
        came: 0,
        signature: record.transaction.signatures[0],
        record,
        bytes: double.encodeTransaction(block, index, ['bench']),
      })),
      end: double.encodeBlockMeta(block, ['bench']),
      vote: double.encodeSlotStatus(block, double.SLOT_STATUS.confirmed, ['bench']),
    })
  }
  return made
}

function poolsOf({ record }) {
  const { events } = decodeTransaction(readRpcTransaction({ ...record, slot: 0, blockTime: 0 }))
  return events.filter(({ kind }) => kind === 'swap').map(({ ammAccount }) => ammAccount)
}

/** Plays the stream in real time, and reports when each event's messages arrived and when it was written. */
async function play() {
  ingest.start()
  while (!push) await wait(5)
  push({ kind: 'connected', from: 999, isAhead: true })
  const ticks = SLOT_MS / TICK_MS
  const began = now() + 50
  const dues = Array.from({ length: blocks.length * ticks }, (_, tick) => began + tick * TICK_MS)
  writeTimes.begin()
  await startTicks(dues, (number, came) => {
    const at = Math.floor(number / ticks)
    const tick = number % ticks
    const block = blocks[at]
    const share = (part) => Math.floor((block.transactions.length * part) / ticks)
    for (const transaction of block.transactions.slice(share(tick), share(tick + 1))) {
      transaction.came = came
      push(readUpdate(transaction.bytes))
    }
    if (tick < ticks - 1) return
    push(readUpdate(block.end))
    const confirmed = blocks[at - CONFIRMED_BEHIND]
    if (!confirmed) return
    confirmed.came = came
    push(readUpdate(confirmed.vote))
  })
  await wait(500)
  const stamps = {}
  for (const { transactions, came: confirmed } of blocks.slice(WARM_UP_SLOTS)) {
    for (const { signature, came: processed } of transactions) stamps[signature] = { processed, confirmed }
  }
  return { stamps, sent: gateway.stats().sentEvents, written: writeTimes.arrivals() }
}
