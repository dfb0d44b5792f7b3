import { WHALE_USD } from '@pairwire/contract/plans'
import type { SwapReading } from '../rows/read-event.ts'
import type { Row } from '../rows/row.ts'

/** A wallet by what it has traded of one token. */
type WalletFacts = Readonly<{ wallet: string; usd: number; swaps: number }>

/** What the swaps that the page has kept say of one token. */
type TokenFacts = Readonly<{
  /** The latest price as the server wrote it, and what it is counted in; undefined without a swap. */
  price: Readonly<{ text: string; quoteMint: string }> | undefined
  /** From the earliest to the latest price in the same token, as a share; undefined with fewer than two. */
  change: number | undefined
  buys: number
  sells: number
  buysUsd: number
  sellsUsd: number
  /** Those that traded for most, at most {@link MOST_LISTED}. */
  wallets: readonly WalletFacts[]
  /** The latest swaps of a whale's size, at most {@link MOST_LISTED}. */
  whales: readonly SwapReading[]
}>

/** Wallets and whales that are listed. */
export const MOST_LISTED = 5

/** The swaps of one token among rows, newest first as these are. */
export function swapsOf(mint: string, rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ reading }) => reading.kind === 'swap' && reading.mint === mint)
}

/** Sums up swaps of one token, newest first. A swap whose worth is unknown counts, but for no dollars. */
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

/** The request for the swaps of one token. */
export function tokenRequest(mint: string): string {
  return JSON.stringify(
    { id: 1, method: 'swapSubscribe', params: { include: { baseTokenMint: [mint] } } },
    null,
    2,
  )
}
