import type { Swap } from '@pairwire/contract'

/** What a swap subscription asks for: any one of these matches. */
export type SwapFilter = Readonly<{
  pools: ReadonlySet<string>
  wallets: ReadonlySet<string>
  mints: ReadonlySet<string>
  /** US dollars, "at least"; null when not asked for. A swap of unknown value never reaches it. */
  usdAtLeast: number | null
}>

/** Whether one filter wants this swap. The index of the hub must agree with it for every filter at once. */
export function matchesFilter(filter: SwapFilter, swap: Swap): boolean {
  return (
    filter.pools.has(swap.ammAccount) ||
    filter.wallets.has(swap.walletAccount) ||
    filter.mints.has(swap.baseTokenMint) ||
    (filter.usdAtLeast !== null && swap.usdValue !== null && swap.usdValue >= filter.usdAtLeast)
  )
}
