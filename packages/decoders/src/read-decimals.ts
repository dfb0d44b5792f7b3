import { USD1, USDC, USDT, WRAPPED_SOL } from '@pairwire/contract'
import type { CallTree } from './transaction/call-tree.ts'

/** Decimals of `mint`: well known, of a balance in it, or null. */
export function readDecimals(tree: CallTree, mint: string): number | null {
  const known = knownDecimals(mint)
  if (known !== undefined) return known
  for (const balance of tree.transaction.postTokenBalances) if (balance.mint === mint) return balance.decimals
  for (const balance of tree.transaction.preTokenBalances) if (balance.mint === mint) return balance.decimals
  return null
}

/** Decimals of the well-known quote mints, which need no record; `undefined` for any other mint. */
export function knownDecimals(mint: string): number | undefined {
  return KNOWN_DECIMALS.get(mint)
}

const KNOWN_DECIMALS = new Map([
  [WRAPPED_SOL, 9],
  [USDC, 6],
  [USDT, 6],
  [USD1, 6],
])
