// One contender of decoding: microseconds per transaction. With `other` checkouts' folders, ours is measured over the
// transactions in which both find the same number of events.
import { importBundled, loadPeer } from '../harness/bundled.mjs'
import { openAllRecordings } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'

const { name, other } = args
/** Passes over all transactions, before and during the measurement: the peer needs fewer for the same time. */
const PASSES = { ours: 150, peer: 10 }
const DECODERS = `export * from './packages/decoders/src/index.ts'
  export { encodeBase58 } from './packages/contract/src/base58.ts'`

const { decodeTransaction, readRpcTransaction, encodeBase58 } = await importBundled(DECODERS)
const records = await readRecords()
const finish = (transaction) => [encodeBase58(transaction.signature), decodeTransaction(transaction)]
const fill = () => records.map(readRpcTransaction)
const given = (values) => () => values
const withPeer = (method) => async () => {
  const parser = new (loadPeer('solana-dex-parser').DexParser)()
  return measure(PASSES.peer, given(records), (record) => parser[method](record))
}
const runs = {
  parse: () => measure(PASSES.peer, given(records.map((record) => JSON.stringify(record))), JSON.parse),
  peerAll: withPeer('parseAll'),
  peerTrades: withPeer('parseTrades'),
  fromJson: () => measure(PASSES.ours, given(records), (record) => finish(readRpcTransaction(record))),
  fromShape: () => measure(PASSES.ours, fill, finish),
  fromBytes: () => measure(PASSES.ours, given(fill()), finish),
}
await runs[name]() // until the compiler has settled
serve({ us: await runs[name]() })

async function readRecords() {
  const { FOLDERS, recordings } = await openAllRecordings()
  const all = FOLDERS.flatMap((folder) => recordings.read(folder)).map((recording) => recording.read())
  if (!other) return all
  const theirs = await importBundled(DECODERS, new URL(other))
  return all.filter((record) => {
    const found = countEvents(theirs, record)
    return found > 0 && found === countEvents({ decodeTransaction, readRpcTransaction }, record)
  })
}

function countEvents(decoders, record) {
  try {
    return decoders.decodeTransaction(decoders.readRpcTransaction(record)).events.length
  } catch {
    return 0
  }
}

/**
 * Microseconds of processor time per transaction, including the collector's, since other work may share the machine; `input`
 * is rebuilt for each pass and not counted.
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
