import { QUOTE_MINTS } from '@pairwire/contract'
import type { Exchange } from '@pairwire/contract/exchanges'
import type { DecodedSwap } from './decoded.ts'
import type { PoolTrade, TradeSide } from './decoder.ts'
import { Refused } from './refused.ts'

/** Knows the decimals of a side's mint. */
type DecimalsOf = Readonly<{
  /** @throws Refused when they are not known */
  decimalsOf(side: TradeSide): number
}>

/** Makes the swap of a trade, base and quote by the mint rule. @throws Refused when one side moved nothing */
export function createSwap(exchange: Exchange, trade: PoolTrade, known: DecimalsOf): DecodedSwap {
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
  }
}

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
