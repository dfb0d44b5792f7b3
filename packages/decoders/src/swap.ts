import { QUOTE_MINTS } from '@pairwire/contract'
import { type Exchange, LAUNCHPADS } from '@pairwire/contract/exchanges'
import type { CurveState, DecodedSwap } from './decoded.ts'
import type { PoolTrade, TradeSide } from './decoder.ts'
import { Refused } from './refused.ts'

/** What a record tells besides the trade. */
type Known = Readonly<{
  /** Decimals of a side's mint. @throws Refused when they are not known */
  decimalsOf(side: TradeSide): number
  /** Raw units of a mint in all accounts of a wallet after the transaction; null when they are not known. */
  balanceOf(wallet: string, mint: string): string | null
}>

/** Makes the swap of a trade, base and quote by the mint rule. @throws Refused when one side moved nothing */
export function createSwap(exchange: Exchange, trade: PoolTrade, known: Known): DecodedSwap {
  const reversed = isReversed(trade.base.mint, trade.quote.mint)
  const base = reversed ? trade.quote : trade.base
  const quote = reversed ? trade.base : trade.quote
  if (base.amount <= 0n || quote.amount <= 0n) throw new Refused('zero_amount')
  return {
    kind: 'swap',
    exchange,
    launchpad: trade.launchpad ?? null,
    ammAccount: trade.pool,
    baseTokenMint: base.mint,
    quoteTokenMint: quote.mint,
    walletAccount: trade.wallet,
    swapType: trade.givesBase === reversed ? 'sell' : 'buy',
    baseAmount: base.amount,
    quoteAmount: quote.amount,
    baseDecimals: known.decimalsOf(base),
    quoteDecimals: known.decimalsOf(quote),
    quoteTokenLiquidity: quote.reserve ?? null,
    baseTokenLiquidity: base.reserve ?? null,
    walletBalance: known.balanceOf(trade.wallet, base.mint),
    curve: curveOf(exchange, reversed ? undefined : trade.curve),
  }
}

/** Returns the curve of a trade or a creation as far as the program tells; null for a pool. */
export function curveOf(exchange: Exchange, told: CurveState | undefined): CurveState | null {
  return LAUNCHPADS.has(exchange) ? (told ?? UNTOLD) : null
}

/** A curve of which the program tells nothing. */
export const UNTOLD: CurveState = { filled: null, isComplete: null, virtualBase: null, virtualQuote: null }

/**
 * Whether the program's base is the stream's quote: the first present of USDC, USDT, USD1 and wrapped SOL is the quote;
 * without any of them the program's own order applies.
 */
export function isReversed(baseMint: string, quoteMint: string): boolean {
  for (const mint of QUOTE_MINTS) {
    if (mint === quoteMint) return false
    if (mint === baseMint) return true
  }
  return false
}
