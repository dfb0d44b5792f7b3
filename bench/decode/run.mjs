// Decoding: `npm run bench -- decode`. Microseconds a transaction, recorded or executed by the real programs, beside solana-dex-parser, from the
// same parsed JSON and from our own input shape; and, transaction by transaction, who is right where the two differ.
// `npm run bench -- decode --beside <folder>`: this checkout beside an older one that has its dependencies, on the
// transactions that the older one knows, so that new venues are seen to cost the old ones nothing.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { register } from 'tsx/esm/api'
import { keepSection, machine, median } from '../results.mjs'
import { CONTENDERS, loadPeer } from './contender.mjs'

const ROUNDS = 3

export const needsRecordings = true

/** Runs all rows, prints them and keeps them in RESULTS.md; `--dry` prints only, `--beside` measures something else. */
export async function run(args) {
  const beside = args.indexOf('--beside')
  if (beside >= 0) {
    measureBeside(args[beside + 1])
    return
  }
  register()
  const { decodeTransaction, readRpcTransaction } = await import('../../packages/decoders/src/index.ts')
  const { FOLDERS, openRecordings } = await import('../../packages/decoders/src/testing/recordings.ts')
  const { PAIR_EXCHANGES } = await import('../../packages/contract/src/exchanges.ts')
  const { compare } = await import('./agreement.mjs')

  const recordings = openRecordings(process.env)
  const DexParser = await loadPeer()
  const parser = new DexParser()
  const read = FOLDERS.flatMap((folder) => {
    const expected = recordings.readExpected(folder)
    return recordings.read(folder).map(({ signature, read }) => ({
      signature,
      read,
      folder,
      expected: expected.get(signature) ?? [],
    }))
  })
  const rows = Object.fromEntries(CONTENDERS.map((name) => [name, []]))
  for (let round = 1; round <= ROUNDS; round++) {
    for (const name of CONTENDERS) {
      rows[name].push(measureAlone(name))
      console.log(`${round}/${ROUNDS} ${name}: ${rows[name].at(-1).toFixed(1)} us a transaction`)
    }
  }

  const agreement = compare(read, {
    decode: (record) => {
      const { events } = decodeTransaction(readRpcTransaction(record))
      // Of hops on proprietary AMMs the peer does not tell, nor do the lists of what is expected.
      return { events: events.filter(({ exchange }) => PAIR_EXCHANGES.includes(exchange)) }
    },
    parse: (record) => parser.parseAll(record),
  })
  const section = describe(rows, read, agreement)
  console.log(`\n${section}`)
  if (!args.includes('--dry')) keepSection('decode', section)
  if (agreement.onlyPeerRight.length > 0) process.exitCode = 1
}

/** Each in a process of its own: what one leaves to the collector is not for the next to pay. */
function measureAlone(name, checkouts = []) {
  const contender = fileURLToPath(new URL('contender.mjs', import.meta.url))
  return Number(execFileSync(process.execPath, [contender, name, ...checkouts], { encoding: 'utf8' }))
}

function measureBeside(folder) {
  if (!folder || !existsSync(folder)) {
    console.error('Name the folder of another checkout: npm run bench -- decode --beside <folder>')
    process.exitCode = 2
    return
  }
  const here = fileURLToPath(new URL('../..', import.meta.url))
  const older = resolve(folder)
  const lines = ['fromJson', 'fromBytes'].map((name) => {
    const before = []
    const after = []
    for (let round = 1; round <= 2 * ROUNDS; round++) {
      before.push(measureAlone(name, [older, here]))
      after.push(measureAlone(name, [here, older]))
    }
    return `| ${name} | ${median(before).toFixed(1)} | ${median(after).toFixed(1)} |`
  })
  const section = `## Decoding beside an older checkout

Microseconds of processor time a transaction, on the recorded transactions in which both find as many events; medians of ${2 * ROUNDS} interleaved runs, each in a process of its own.
${machine()} Other work ran on it, so the ratios say more than the figures.

| from what | older | this |
|---|---|---|
${lines.join('\n')}`
  console.log(section)
  keepSection('decode-beside', section)
}

function describe(rows, read, { table, differing, onlyPeerRight }) {
  const count = read.length
  const recorded = read.filter(({ folder }) => !folder.startsWith('executed')).length
  const [parse, peer, peerTrades, json, shape, bytes] = [
    rows.parse,
    rows.peerAll,
    rows.peerTrades,
    rows.fromJson,
    rows.fromShape,
    rows.fromBytes,
  ].map(median)
  const row = (name, value) =>
    `| ${name} | ${value.toFixed(1)} | ${Math.round(1e6 / value).toLocaleString('en-US')} | ${(peer / value).toFixed(1)} |`
  return `## Decoding

${count} transactions of many programs, ${recorded} of them recorded on mainnet and the others executed by the programs' own binaries; one thread, medians of ${ROUNDS} interleaved runs, each in a process of its own after a warm-up. Both sides end with the same output: addresses and the signature in base58.
${machine()} Other work ran on it, so the ratios say more than the figures.

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

The peer alone is right on **${onlyPeerRight.length}**. Where only one side is:

<details><summary>${differing.length} transactions</summary>

| transaction | holds | right | what the other has |
|---|---|---|---|
${differing.join('\n')}

</details>`
}
