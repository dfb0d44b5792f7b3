import type { Swap } from '@pairwire/contract'
import type { AccountLists, SwapFilter } from './read-swap-filter.ts'

/** Whether one filter wants this swap. The hub's index must give the same result for all filters. */
export function matchesFilter(filter: SwapFilter, swap: Swap): boolean {
  const { narrowing } = filter
  if (!narrowing) return includesSwap(filter, swap)

  const { matchAll, exclude, sourceExchanges, swapTypes } = narrowing
  if (sourceExchanges && !sourceExchanges.has(swap.sourceExchange)) return false
  if (swapTypes && !swapTypes.has(swap.swapType)) return false
  if (namesAccount(exclude, swap)) return false
  if (includesEverything(filter)) return true
  return matchAll ? meetsAll(filter, swap) : includesSwap(filter, swap)
}

/** Whether the filter requires nothing of a swap. */
export function includesEverything({ pools, wallets, mints, usdAtLeast }: SwapFilter): boolean {
  return pools.size === 0 && wallets.size === 0 && mints.size === 0 && usdAtLeast === null
}

function includesSwap(filter: SwapFilter, swap: Swap): boolean {
  return namesAccount(filter, swap) || (filter.usdAtLeast !== null && isWorth(swap, filter.usdAtLeast))
}

function meetsAll({ pools, wallets, mints, usdAtLeast }: SwapFilter, swap: Swap): boolean {
  return (
    (pools.size === 0 || pools.has(swap.ammAccount)) &&
    (wallets.size === 0 || wallets.has(swap.walletAccount)) &&
    (mints.size === 0 || mints.has(swap.baseTokenMint)) &&
    (usdAtLeast === null || isWorth(swap, usdAtLeast))
  )
}

function namesAccount({ pools, wallets, mints }: AccountLists, swap: Swap): boolean {
  return pools.has(swap.ammAccount) || wallets.has(swap.walletAccount) || mints.has(swap.baseTokenMint)
}

function isWorth({ usdValue }: Swap, usdAtLeast: number): boolean {
  return usdValue !== null && usdValue >= usdAtLeast
}
