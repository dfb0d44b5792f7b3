// `npm run fixtures -- <RPC address> [folder]`: fetches the recorded transactions that the tests use, listed by signature in
// packages/decoders/recorded-signatures.json, from any Solana RPC with history. Existing files are kept, so an interrupted
// run continues where it ended.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [rpcUrl, folder = process.env.PAIRWIRE_FIXTURES ?? join(root, '../shared/fixtures')] =
  process.argv.slice(2)

if (!rpcUrl || !URL.canParse(rpcUrl)) {
  console.error('Usage: npm run fixtures -- <RPC address> [folder]')
  process.exit(2)
}

/** Attempts at one call; public endpoints refuse now and then. */
const TRIES = 5

const lists = JSON.parse(readFileSync(join(root, 'packages/decoders/recorded-signatures.json'), 'utf8'))
const missing = []
for (const [list, signatures] of Object.entries(lists)) {
  mkdirSync(join(folder, list), { recursive: true })
  for (const [index, signature] of signatures.entries()) {
    const file = join(folder, list, `${signature}.json`)
    if (existsSync(file)) continue
    const transaction = await fetchTransaction(signature)
    if (transaction) writeFileSync(file, `${JSON.stringify(transaction)}\n`)
    else missing.push(signature)
    console.log(
      `${list} ${index + 1}/${signatures.length} ${transaction ? 'fetched' : 'not found'} ${signature}`,
    )
  }
}
console.log(
  `The recorded transactions are in ${resolve(folder)}.${missing.length > 0 ? ` ${missing.length} were not found there.` : ''}`,
)
process.exitCode = missing.length > 0 ? 1 : 0

/** Result of `getTransaction`, or null if this RPC does not have it. Throws after the last attempt. */
async function fetchTransaction(signature) {
  for (let turn = 1; ; turn++) {
    try {
      const response = await fetch(rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'getTransaction',
          params: [
            signature,
            { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' },
          ],
        }),
        signal: AbortSignal.timeout(20_000),
      })
      if (!response.ok) throw new Error(`The RPC answered ${response.status}.`)
      const { result, error } = await response.json()
      if (error) throw new Error(`The RPC answered: ${error.message}`)
      return result
    } catch (error) {
      if (turn === TRIES) throw error
      await wait(500 * 2 ** turn)
    }
  }
}
