import { STABLE_MINTS, WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'

/** The position of a swap for pricing. `blockTime` is in Unix seconds. */
export type Moment = Readonly<{ slot: number; blockTime: number }>

/** Seconds of block time after which a price counts as unknown. */
export const PRICE_MAX_AGE_SECONDS = 60
/** US dollars of quote that an unknown pool must hold for its price to count. */
export const LEAST_DEPTH_USD = 10_000
/** Smaller trades say little and are cheap to fake. */
export const LEAST_NOTIONAL_USD = 20

/**
 * Exchanges whose pools hold base and quote in the ratio of their price, and report it with each trade: Raydium's AMM
 * v4 and CPMM, and PumpSwap. A curve's price includes virtual reserves, and vaults of concentrated liquidity do not
 * show a price.
 */
export const PRICED_BY_RESERVES: ReadonlySet<string> = new Set(['raydium', 'pumpswap'])

/** Quote per base as the pool holds them after this swap, decimals applied; undefined if it does not tell. */
export function poolPrice(swap: DecodedSwap): number | undefined {
  const { baseTokenLiquidity, quoteTokenLiquidity } = swap
  if (!baseTokenLiquidity || !quoteTokenLiquidity || !PRICED_BY_RESERVES.has(swap.exchange)) return undefined
  return whole(quoteTokenLiquidity, swap.quoteDecimals) / whole(baseTokenLiquidity, swap.baseDecimals)
}

/** Quote per base as paid in this swap, including the pool's fees, decimals applied. */
export function executionPrice(swap: DecodedSwap): number {
  return whole(swap.quoteAmount, swap.quoteDecimals) / whole(swap.baseAmount, swap.baseDecimals)
}

/** Raw units as whole tokens, to the 15 digits of a double. */
export function whole(amount: bigint, decimals: number): number {
  return Number(amount) / 10 ** decimals
}

/** Rounds to a millionth of a dollar, but never to zero, which would read as unknown. */
export function dollars(value: number): number {
  return Math.round(value * 1e6) / 1e6 || value
}

/** Whether two block times are close enough for a price at one to count at the other. */
export function isFresh(at: number, blockTime: number): boolean {
  return Math.abs(blockTime - at) <= PRICE_MAX_AGE_SECONDS
}

/** Whether a token of this mint counts as one US dollar. */
export function isStable(mint: string): boolean {
  return STABLE_MINTS.includes(mint)
}

/** Whether the swap trades SOL against a stable token. */
export function isSolTrade({ baseTokenMint, quoteTokenMint }: DecodedSwap): boolean {
  return baseTokenMint === WRAPPED_SOL && isStable(quoteTokenMint)
}
