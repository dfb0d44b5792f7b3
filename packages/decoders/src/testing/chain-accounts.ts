import { writeClmmPool, writeMintAccount, writePumpswapPool } from '@pairwire/chain-writer'
import { encodeBase58 } from '@pairwire/contract'
import { compareKeys, indexOfAddress, keyOf } from '../bytes/key-table.ts'
import { decodeTransaction } from '../decode-transaction.ts'
import { PROGRAM_ID as PUMPSWAP, TRADE_ACCOUNTS } from '../programs/pumpswap/layout.ts'
import { RAYDIUM } from '../programs/raydium-clmm/layout.ts'
import { TOKEN_PROGRAM } from '../tokens/layout.ts'
import type { Transaction } from '../transaction.ts'

/** An account as an RPC returns it. */
type ChainAccount = Readonly<{ owner: string; data: Uint8Array }>

/** Returns the account at an address, as far as the transaction describes it: a pool that it traded on, or a mint. */
export function chainAccount(transaction: Transaction, address: string): ChainAccount | undefined {
  const { preTokenBalances, postTokenBalances } = transaction
  const balance = [...postTokenBalances, ...preTokenBalances].find(({ mint }) => mint === address)
  if (balance !== undefined) return { owner: TOKEN_PROGRAM, data: writeMintAccount(balance.decimals) }

  for (const event of decodeTransaction(transaction).events) {
    if (event.kind !== 'swap') continue
    if (event.baseTokenMint === address) {
      return { owner: TOKEN_PROGRAM, data: writeMintAccount(event.baseDecimals) }
    }
    if (event.ammAccount !== address) continue
    const mints = [keyOf(event.baseTokenMint), keyOf(event.quoteTokenMint)] as const
    if (event.exchange === 'pumpswap') {
      const [base, quote] = pumpswapMints(transaction, address) ?? mints
      return { owner: PUMPSWAP, data: writePumpswapPool(base, quote) }
    }
    const [first, second] = mints.toSorted(compareKeys)
    return { owner: RAYDIUM, data: writeClmmPool(first!, second!) }
  }
  return undefined
}

/** Returns a pool's mints in the program's own order, from the indexes in an instruction. */
function pumpswapMints(
  { keys, instructions }: Transaction,
  pool: string,
): readonly [Uint8Array, Uint8Array] | undefined {
  const at = indexOfAddress(keys, pool)
  const trade = instructions.find(
    ({ programIndex, accounts }) =>
      accounts[TRADE_ACCOUNTS.pool] === at && encodeBase58(keys[programIndex]!) === PUMPSWAP,
  )
  if (trade === undefined) return undefined
  const { baseMint, quoteMint } = TRADE_ACCOUNTS
  return [keys[trade.accounts[baseMint]!]!, keys[trade.accounts[quoteMint]!]!]
}
