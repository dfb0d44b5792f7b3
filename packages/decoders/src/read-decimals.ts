import { knownDecimals } from './mint-rule.ts'
import type { CallTree } from './transaction/call-tree.ts'

/** Decimals of `mint`: well known, of a balance in it, or null. */
export function readDecimals(tree: CallTree, mint: string): number | null {
  const known = knownDecimals(mint)
  if (known !== undefined) return known
  for (const balance of tree.transaction.postTokenBalances) if (balance.mint === mint) return balance.decimals
  for (const balance of tree.transaction.preTokenBalances) if (balance.mint === mint) return balance.decimals
  return null
}
