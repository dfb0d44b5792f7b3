import { WHALE_USD } from '@pairwire/contract/plans'
import type { SwapReading } from './feed/read-event.ts'
import type { Row } from './feed/row.ts'

/** A wallet with its trades of one token. */
type WalletFacts = Readonly<{ wallet: string; usd: number; swaps: number }>

/** Facts about one token from the swaps that the page has kept. */
type TokenFacts = Readonly<{
  /** The latest price as the server wrote it, and its quote; undefined without a swap. */
  price: Readonly<{ text: string; quoteMint: string }> | undefined
  /** From the earliest to the latest price in the same quote, as a share; undefined with fewer than two. */
  change: number | undefined
  buys: number
  sells: number
  buysUsd: number
  sellsUsd: number
  /** Those with the largest volume, at most {@link MOST_LISTED}. */
  wallets: readonly WalletFacts[]
  /** The latest swaps of a whale's size, at most {@link MOST_LISTED}. */
  whales: readonly SwapReading[]
}>

/** Listed wallets and whales. */
export const MOST_LISTED = 5

/** Returns the swaps of one token among rows, in the rows' order, newest first. */
export function swapsOf(mint: string, rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ reading }) => reading.kind === 'swap' && reading.mint === mint)
}

/** Sums up swaps of one token, newest first. A swap of unknown value counts, but adds no dollars. */
export function tokenFacts(rows: readonly Row[]): TokenFacts {
  const swaps = rows.flatMap(({ reading }) => (reading.kind === 'swap' ? [reading] : []))
  const latest = swaps[0]
  const prices = swaps
    .filter(({ quoteMint }) => quoteMint === latest?.quoteMint)
    .map(({ price }) => Number(price))
  const earliest = prices.at(-1)
  const wallets = new Map<string, { wallet: string; usd: number; swaps: number }>()
  const sides = { buys: 0, sells: 0, buysUsd: 0, sellsUsd: 0 }
  for (const { isBuy, usd, wallet } of swaps) {
    sides[isBuy ? 'buys' : 'sells']++
    sides[isBuy ? 'buysUsd' : 'sellsUsd'] += usd ?? 0
    if (wallet === '') continue
    const trader = wallets.get(wallet) ?? { wallet, usd: 0, swaps: 0 }
    trader.usd += usd ?? 0
    trader.swaps++
    wallets.set(wallet, trader)
  }
  return {
    price: latest && { text: latest.price, quoteMint: latest.quoteMint },
    change: prices.length > 1 && earliest! > 0 ? prices[0]! / earliest! - 1 : undefined,
    ...sides,
    wallets: [...wallets.values()].sort((a, b) => b.usd - a.usd).slice(0, MOST_LISTED),
    whales: swaps.filter(({ usd }) => usd !== null && usd >= WHALE_USD).slice(0, MOST_LISTED),
  }
}

/** Makes the request for the swaps of one token. */
export function tokenRequest(mint: string): string {
  return JSON.stringify(
    { id: 1, method: 'swapSubscribe', params: { include: { baseTokenMint: [mint] } } },
    null,
    2,
  )
}
