// Reads the feeder's stream, with our reader or the peer's, and reports the cost.
import { setTimeout as wait } from 'node:timers/promises'
import { importBundled, loadPeer } from '../harness/bundled.mjs'
import { args, serve } from '../harness/serve.mjs'

const { name, port, folder, warmUpSeconds, seconds } = args
const counts = { transactions: 0, events: 0 }
await (name === 'peer' ? readByPeer() : readByUs())
await wait(warmUpSeconds * 1_000)
const before = { ...counts, at: performance.now(), cpu: process.cpuUsage() }
await wait(seconds * 1_000)
const { user, system } = process.cpuUsage(before.cpu)
const transactions = counts.transactions - before.transactions
const cpuSeconds = (user + system) / 1e6
const elapsed = (performance.now() - before.at) / 1_000
serve({
  perCore: transactions / cpuSeconds,
  perSecond: transactions / elapsed,
  cores: cpuSeconds / elapsed,
  eventsEach: (counts.events - before.events) / transactions,
})

/** The service's own path from the socket to the bus, in one file as scripts/build.mjs bundles it. */
async function readByUs() {
  const { createIngest, openSource, systemClock } = await importBundled(
    "export * from './apps/ingest/src/index.ts'; export { systemClock } from './packages/basics/src/clock.ts'",
  )
  const log = { info() {}, warn: console.error, error: console.error }
  const source = openSource(`yellowstone+http://127.0.0.1:${port}`, {
    ...{ clock: systemClock, log, dataFolder: folder, tokens: [], loopByDefault: false },
    nextRun: async () => 1,
  })
  const ingest = createIngest({
    ...{ source, clock: systemClock, log },
    bus: {
      newestCursor: async () => undefined,
      startOver: async () => {},
      sendControl: async () => {},
      publishEarly: () => {},
      // No client wants events ahead of confirmation.
      wantsEarly: () => false,
      publish: async (events) => {
        counts.transactions = ingest.stats().transactions
        // One of them marks the end of the block.
        counts.events += events.length - 1
      },
    },
  })
  ingest.start()
}

/** The official client, with the parser that others use behind it. */
async function readByPeer() {
  const { default: Client } = await import('@triton-one/yellowstone-grpc')
  const parser = new (loadPeer('solana-dex-parser').DexParser)()
  const client = new Client(`http://127.0.0.1:${port}`, undefined, undefined)
  await client.connect()
  const stream = await client.subscribe()
  stream.on('data', (update) => {
    if (!update.transaction) return
    counts.transactions++
    const { trades, liquidities } = parser.parseAll(forParser(update.transaction))
    counts.events += trades.length + liquidities.length
  })
  stream.write({
    ...{ accounts: {}, transactionsStatus: {}, blocks: {}, entry: {}, accountsDataSlice: [], commitment: 1 },
    slots: { all: { filterByCommitment: true } },
    transactions: {
      all: { vote: false, failed: false, accountInclude: [], accountExclude: [], accountRequired: [] },
    },
    blocksMeta: { all: {} },
  })
}

/** The parser's input: the stream's own form with its bytes as buffers. */
function forParser({ transaction: { transaction, meta }, slot }) {
  const { message, signatures } = transaction
  return {
    slot: Number(slot),
    transaction: {
      signatures: signatures.map(asBuffer),
      message: {
        ...message,
        accountKeys: message.accountKeys.map(asBuffer),
        instructions: message.instructions.map(asCompiled),
      },
    },
    meta: {
      ...meta,
      loadedWritableAddresses: meta.loadedWritableAddresses.map(asBuffer),
      loadedReadonlyAddresses: meta.loadedReadonlyAddresses.map(asBuffer),
      innerInstructions: meta.innerInstructions.map(({ index, instructions }) => ({
        index,
        instructions: instructions.map(asCompiled),
      })),
    },
  }
}

function asCompiled({ programIdIndex, accounts, data }) {
  return { programIdIndex, accounts: asBuffer(accounts), data: asBuffer(data) }
}

function asBuffer(bytes) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
