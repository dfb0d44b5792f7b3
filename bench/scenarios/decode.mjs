import { compare } from '../harness/agreement.mjs'
import { loadPeer } from '../harness/bundled.mjs'
import { runAlone } from '../harness/processes.mjs'
import { HERE, openAllRecordings, product } from '../harness/product.mjs'
import { byTurns, machine, median, whole } from '../harness/results.mjs'

export const title = 'Decoding'
export const about =
  'Microseconds a transaction, recorded or executed by the real programs, beside solana-dex-parser, from the same parsed JSON and from our own input shape; and, transaction by transaction, which one is right where they differ.'
export const needsRecordings = true

const ROUNDS = 3
const CONTENDERS = ['parse', 'peerAll', 'peerTrades', 'fromJson', 'fromShape', 'fromBytes']

export const besideRounds = 6

/** Over the transactions that both checkouts decode, to show that new venues cost the old ones nothing. */
export async function figures(_options, checkout, checkouts) {
  const other = checkout ? HERE.href : checkouts.older
  const [fromJson, fromBytes] = [
    await runAlone('decoder', { name: 'fromJson', other }, { checkout }),
    await runAlone('decoder', { name: 'fromBytes', other }, { checkout }),
  ]
  return { 'from JSON': fromJson, 'from bytes': fromBytes }
}

export async function* run({ rounds }) {
  const rows = await byTurns(CONTENDERS, rounds || ROUNDS, (name) => runAlone('decoder', { name }))
  const { read, agreement } = await compareWithPeer()
  const violations = agreement.onlyRight.peer.map((signature) => `Only the peer is right on ${signature}.`)
  yield { text: describe(rows, read, agreement, rounds || ROUNDS), violations }
}

async function compareWithPeer() {
  const { decodeTransaction, readRpcTransaction } = await product('packages/decoders/src/index.ts')
  const { PAIR_EXCHANGES } = await product('packages/contract/src/exchanges.ts')
  const { FOLDERS, recordings } = await openAllRecordings()
  const parser = new (loadPeer('solana-dex-parser').DexParser)()
  const read = FOLDERS.flatMap((folder) => {
    const expected = recordings.readExpected(folder)
    return recordings.read(folder).map(({ signature, read }) => ({
      ...{ signature, read, folder },
      expected: expected.get(signature) ?? [],
    }))
  })
  const agreement = compare(read, {
    decode: (record) => {
      const { events } = decodeTransaction(readRpcTransaction(record))
      // The peer does not report hops on proprietary AMMs, nor do the expected lists.
      return { events: events.filter(({ exchange }) => PAIR_EXCHANGES.includes(exchange)) }
    },
    parse: (record) => parser.parseAll(record),
  })
  return { read, agreement }
}

function describe(rows, read, { table, onlyRight }, rounds) {
  const recorded = read.filter(({ folder }) => !folder.startsWith('executed')).length
  const [parse, peer, peerTrades, json, shape, bytes] = CONTENDERS.map((name) => median(rows[name], 'us'))
  const row = (name, value) =>
    `| ${name} | ${value.toFixed(1)} | ${whole(1e6 / value)} | ${(peer / value).toFixed(1)} |`
  return `## ${title}

${read.length} transactions of many programs, ${recorded} of them recorded on mainnet and the others executed by the programs' own binaries; one thread, medians of ${rounds} interleaved runs, each in a process of its own after a warm-up. Both sides end with the same output: addresses and the signature in base58.
${machine()} The ratios say more than the figures.

| from what, by whom | us of processor time a transaction | transactions a second and core | times \`parseAll\` |
|---|---|---|---|
${row('parsed JSON, solana-dex-parser 2.6.7 `parseAll`', peer)}
${row('parsed JSON, solana-dex-parser 2.6.7 `parseTrades`', peerTrades)}
${row('parsed JSON, `readRpcTransaction` and `decodeTransaction`', json)}
${row('our own shape as the JSON reader leaves it (instruction data still base58), `decodeTransaction`', shape)}
${row('our own shape with its bytes there, as a gRPC source fills it, `decodeTransaction`', bytes)}

From the same parsed JSON it is **${(peer / json).toFixed(1)} times** as fast (bound: 20), from its own shape **${(peer / shape).toFixed(1)} times** (bound: 20).

What this does not show: parsing the JSON text (${parse.toFixed(0)} us more for either side), USD values and metadata, a mix of transactions as a block has it (these are mostly trades, few votes and failures), more than one thread. The peer decodes many more programs than ours and also reports transfers, fees and balance changes; \`parseTrades\` is the nearest to what we do.

### Agreement

Judged by what is expected of each transaction: mints, amounts, wallet, new pairs. The peer's amounts may be the pool's side or the trader's, its duplicates of one trade count once, and what it finds in programs that are not in the table is not looked at. How many transactions each side has wholly right, by the programs that they hold:

| program | transactions | ours | solana-dex-parser |
|---|---|---|---|
${table.join('\n')}

The peer alone is right on **${onlyRight.peer.length}**, ours alone on **${onlyRight.ours.length}**:

<details><summary>the transactions</summary>

${onlyRight.ours.map((signature) => `- ${signature}`).join('\n')}

</details>`
}
