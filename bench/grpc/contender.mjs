// One contender of the gRPC benchmark: `node contender.mjs <ours|peer> <port> <warm-up s> <measured s>` reads the feeder's
// stream and prints what it took, as a line of JSON.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { loadPeer } from '../decode/contender.mjs'

export const CONTENDERS = ['ours', 'peer']

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, port, warmUp, measured] = process.argv.slice(2)
  console.log(JSON.stringify(await measureContender(name, port, Number(warmUp), Number(measured))))
  process.exit(0)
}

async function measureContender(name, port, warmUpSeconds, seconds) {
  const counts = { transactions: 0, events: 0 }
  await (name === 'ours' ? readByUs : readByPeer)(port, counts)
  await wait(warmUpSeconds * 1_000)
  const before = { ...counts, at: performance.now(), cpu: process.cpuUsage() }
  await wait(seconds * 1_000)
  const { user, system } = process.cpuUsage(before.cpu)
  return {
    transactions: counts.transactions - before.transactions,
    events: counts.events - before.events,
    seconds: (performance.now() - before.at) / 1_000,
    cpuSeconds: (user + system) / 1e6,
  }
}

/** The service's own way from the socket to the bus, in one file as scripts/build.mjs makes it. */
async function readByUs(port, counts) {
  const { createIngest, openSource, systemClock } = await importBundled()
  const log = { info() {}, warn: console.error, error: console.error }
  const dataFolder = mkdtempSync(join(tmpdir(), 'pairwire-bench-'))
  process.on('exit', () => rmSync(dataFolder, { recursive: true, force: true }))
  const source = openSource(`yellowstone+http://127.0.0.1:${port}`, {
    ...{ clock: systemClock, log, dataFolder, tokens: [], loopByDefault: false },
    nextRun: async () => 1,
  })
  const ingest = createIngest({
    ...{ source, clock: systemClock, log },
    bus: {
      newestCursor: async () => undefined,
      startAnew: async () => {},
      sendControl: async () => {},
      publishEarly: () => {},
      // Nobody asks for events ahead of confirmation.
      wantsEarly: () => false,
      expect() {},
      publish: async (events) => {
        counts.transactions = ingest.stats().transactions
        // One of them says that the block is there.
        counts.events += events.length - 1
      },
    },
  })
  ingest.start()
}

async function importBundled() {
  const outdir = mkdtempSync(join(tmpdir(), 'pairwire-bench-'))
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }))
  await build({
    stdin: {
      contents:
        "export * from './apps/ingest/src/index.ts'; export { systemClock } from './packages/process/src/clock.ts'",
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
    },
    ...{ outdir, bundle: true, splitting: true, platform: 'node', format: 'esm', target: 'node20' },
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })
  return await import(pathToFileURL(join(outdir, 'stdin.mjs')).href)
}

/** The protocol owners' client, and the parser that others use behind it. */
async function readByPeer(port, counts) {
  const { default: Client } = await import('@triton-one/yellowstone-grpc')
  const parser = new (await loadPeer())()
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

/** What the parser takes: the stream's own form with its bytes as buffers. */
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
