// One contender of the decoding benchmark: `node contender.mjs <name> [checkout other]` prints its microseconds a
// transaction; with two checkouts, ours is that of the first, over the transactions in which both find as many events.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { register } from 'tsx/esm/api'

/** Passes over all transactions, before and in the measurement: the peer needs fewer for the same time. */
const PASSES = { ours: 150, peer: 10 }
const BENCH = fileURLToPath(new URL('..', import.meta.url))
const HERE = fileURLToPath(new URL('../..', import.meta.url))

export const CONTENDERS = ['parse', 'peerAll', 'peerTrades', 'fromJson', 'fromShape', 'fromBytes']

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(await measureContender(...process.argv.slice(2)))

async function measureContender(name, checkout = HERE, other = undefined) {
  register()
  const { decodeTransaction, readRpcTransaction, encodeBase58 } = await importBundled(checkout)
  const { FOLDERS, openRecordings } = await import('../../packages/decoders/src/testing/recordings.ts')
  const recordings = openRecordings(process.env)
  const all = FOLDERS.flatMap((folder) => recordings.read(folder)).map((recording) => recording.read())
  const theirs = other && (await importBundled(other))
  const countEvents = (decoders, record) => {
    try {
      return decoders.decodeTransaction(decoders.readRpcTransaction(record)).events.length
    } catch {
      return 0
    }
  }
  const records = all.filter((record) => {
    if (!theirs) return true
    const found = countEvents(theirs, record)
    return found > 0 && found === countEvents({ decodeTransaction, readRpcTransaction }, record)
  })
  const finish = (transaction) => [encodeBase58(transaction.signature), decodeTransaction(transaction)]
  const fill = () => records.map(readRpcTransaction)

  const given = (values) => () => values
  const runs = {
    parse: () => measure(PASSES.peer, given(records.map((record) => JSON.stringify(record))), JSON.parse),
    peerAll: async () => {
      const parser = new (await loadPeer())()
      return measure(PASSES.peer, given(records), (record) => parser.parseAll(record))
    },
    peerTrades: async () => {
      const parser = new (await loadPeer())()
      return measure(PASSES.peer, given(records), (record) => parser.parseTrades(record))
    },
    fromJson: () => measure(PASSES.ours, given(records), (record) => finish(readRpcTransaction(record))),
    fromShape: () => measure(PASSES.ours, fill, finish),
    fromBytes: () => measure(PASSES.ours, given(fill()), finish),
  }
  await runs[name]() // until the compiler has settled
  return runs[name]()
}

/** Our side as the server runs it: in one file, as scripts/build.mjs makes it. The peer is published so, too. */
async function importBundled(checkout) {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-bench-'))
  const outfile = join(folder, 'decoders.mjs')
  try {
    await build({
      stdin: {
        contents: `export * from './packages/decoders/src/index.ts'
          export { encodeBase58 } from './packages/contract/src/base58.ts'`,
        resolveDir: checkout,
      },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The peer lives in a lock of its own beside the benches and is installed when first asked for. */
export async function loadPeer() {
  if (!existsSync(`${BENCH}/node_modules/solana-dex-parser`)) {
    const npm = process.env.npm_execpath
    const args = ['ci', '--prefix', BENCH, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    if (npm) execFileSync(process.execPath, [npm, ...args], { stdio: 'inherit' })
    else execFileSync('npm', args, { stdio: 'inherit' })
  }
  return createRequire(`${BENCH}/package.json`)('solana-dex-parser').DexParser
}

/**
 * Microseconds of processor time a transaction, the collector's included, since other work may share the machine;
 * `input` is made anew for each pass and not counted.
 */
function measure(passes, input, decode) {
  let microseconds = 0
  let count = 0
  for (let pass = 0; pass < passes; pass++) {
    const transactions = input()
    const before = process.cpuUsage()
    for (const transaction of transactions) decode(transaction)
    const { user, system } = process.cpuUsage(before)
    microseconds += user + system
    count += transactions.length
  }
  return microseconds / count
}
