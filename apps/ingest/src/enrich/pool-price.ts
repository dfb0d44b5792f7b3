import { STABLE_MINTS, WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'

/** Where a swap stands on the chain, as far as prices go by it. `blockTime` is in Unix seconds. */
export type Moment = Readonly<{ slot: number; blockTime: number }>

/** Seconds of block time after which a price counts as unknown. */
export const PRICE_MAX_AGE_SECONDS = 60
/** US dollars of the quote in a pool nobody knows from which its price is heard. */
export const LEAST_DEPTH_USD = 10_000
/** Smaller trades say little and cost nothing to make. */
export const LEAST_NOTIONAL_USD = 20

/**
 * Exchanges whose pools hold base and quote in the ratio of their price, and say so with each trade: Raydium's AMM v4
 * and CPMM, and PumpSwap. A curve's price has virtual reserves in it, and vaults of concentrated liquidity say nothing
 * of a price.
 */
const PRICED_BY_RESERVES: ReadonlySet<string> = new Set(['raydium', 'pumpswap'])

/** Quote for one base as the pool holds them after this swap, decimals applied; undefined where it does not say. */
export function poolPrice(swap: DecodedSwap): number | undefined {
  const { baseTokenLiquidity, quoteTokenLiquidity } = swap
  if (!baseTokenLiquidity || !quoteTokenLiquidity || !PRICED_BY_RESERVES.has(swap.exchange)) return undefined
  return whole(quoteTokenLiquidity, swap.quoteDecimals) / whole(baseTokenLiquidity, swap.baseDecimals)
}

/** Quote for one base as this swap paid, fees of the pool included, decimals applied. */
export function executionPrice(swap: DecodedSwap): number {
  return whole(swap.quoteAmount, swap.quoteDecimals) / whole(swap.baseAmount, swap.baseDecimals)
}

/** Raw units as whole tokens, to the 15 digits of a double. */
export function whole(amount: bigint, decimals: number): number {
  return Number(amount) / 10 ** decimals
}

/** Whether two block times are near enough for a price of the one to count at the other. */
export function isFresh(at: number, blockTime: number): boolean {
  return Math.abs(blockTime - at) <= PRICE_MAX_AGE_SECONDS
}

/** Whether a token of this mint is counted as one US dollar. */
export function isStable(mint: string): boolean {
  return STABLE_MINTS.includes(mint)
}

/** Whether the swap is one of SOL against a stable token. */
export function isSolTrade({ baseTokenMint, quoteTokenMint }: DecodedSwap): boolean {
  return baseTokenMint === WRAPPED_SOL && isStable(quoteTokenMint)
}
