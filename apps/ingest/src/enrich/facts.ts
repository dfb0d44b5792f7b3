import type {
  CurveFacts,
  NewPairFacts,
  NotificationEvent,
  StreamEvent,
  Swap,
  SwapFacts,
} from '@pairwire/contract'
import type { CurveState, DecodedNewPair, DecodedSwap } from '@pairwire/decoders'
import { boundText } from '../bound-text.ts'
import { PRICED_BY_RESERVES } from './pool-price.ts'
import { quotePrice } from './quote-price.ts'

/** Facts of a swap as far as its transaction tells: without the market cap, which needs the token's supply. */
export function swapFactsOf({ walletBalance, curve }: DecodedSwap): SwapFacts {
  return { marketCap: null, walletBalance: textOf(walletBalance), curve: curve && curveFactsOf(curve) }
}

/** The market cap after a swap, in the quote token; null while the supply is unknown. */
export function marketCapAfter(swap: DecodedSwap, supply: bigint | null): string | null {
  const { curve, baseAmount, quoteAmount, quoteDecimals } = swap
  return (
    marketCap(curve?.virtualBase, curve?.virtualQuote, supply, quoteDecimals) ??
    marketCap(baseAmount, quoteAmount, supply, quoteDecimals)
  )
}

/** A swap as decoded, and as the stream has it. */
type MadeSwap = Readonly<{ decoded: DecodedSwap; swap: Swap; facts: SwapFacts }>

/**
 * Facts of a new pair after its transaction, of which `swaps` are the others. Who else bought is known only at the end of
 * the block: see {@link withSlotBuyers}.
 */
export function newPairFactsOf(pair: DecodedNewPair, swaps: readonly MadeSwap[]): NewPairFacts {
  const { creator, baseToken, ammAccount } = pair
  const own = swaps.filter(({ swap }) => swap.ammAccount === ammAccount)
  const last = own.at(-1)
  return {
    creator,
    uri: baseToken.uri === null ? null : boundText(baseToken.uri),
    creatorBuy: creatorBuyOf(
      own.filter(({ swap }) => swap.swapType === 'buy' && swap.walletAccount === creator),
      baseToken.supply,
    ),
    slotBuyers: null,
    slotBuyShare: null,
    curve: last ? last.facts.curve : pair.curve && curveFactsOf(pair.curve),
    marketCap: last ? last.facts.marketCap : marketCapAtOpening(pair),
  }
}

/** Adds to the new pairs of a whole block who else bought in it. */
export function withSlotBuyers(batch: StreamEvent[]): void {
  const opened = new Map<string, { at: number; event: NewPairEvent; wallets: Set<string>; bought: bigint }>()
  for (const [at, event] of batch.entries()) {
    if (event.kind === 'newPair' && event.facts) {
      opened.set(event.params.pair.ammAccount, { at, event, wallets: new Set(), bought: 0n })
    } else if (event.kind === 'swap' && opened.size > 0) {
      const { ammAccount, swapType, walletAccount, baseAmount } = event.params.swap
      const pair = opened.get(ammAccount)
      if (!pair || swapType !== 'buy' || walletAccount === pair.event.facts?.creator) continue
      pair.wallets.add(walletAccount)
      pair.bought += BigInt(baseAmount)
    }
  }
  for (const { at, event, wallets, bought } of opened.values()) {
    const supply = event.params.pair.baseToken.info?.supply
    const facts = {
      ...event.facts!, // looked at above
      slotBuyers: wallets.size,
      slotBuyShare: supply === undefined ? null : shareOf(bought, BigInt(supply)),
    }
    batch[at] = { ...event, facts }
  }
}

type NewPairEvent = Extract<NotificationEvent, { kind: 'newPair' }>

function creatorBuyOf(buys: readonly MadeSwap[], supply: bigint | null): NewPairFacts['creatorBuy'] {
  if (buys.length === 0) return null
  const base = buys.reduce((sum, { decoded }) => sum + decoded.baseAmount, 0n)
  const quote = buys.reduce((sum, { decoded }) => sum + decoded.quoteAmount, 0n)
  const value = buys.reduce((sum, { swap }) => sum + (swap.usdValue ?? Number.NaN), 0)
  return {
    baseAmount: String(base),
    quoteAmount: String(quote),
    usdValue: Number.isNaN(value) ? null : value,
    supplyShare: shareOf(base, supply),
  }
}

function curveFactsOf({ filled, isComplete, virtualBase, virtualQuote }: CurveState): CurveFacts {
  return {
    progress: filled && percentOf(filled),
    complete: isComplete,
    virtualBase: textOf(virtualBase),
    virtualQuote: textOf(virtualQuote),
  }
}

/** Rounded down, so that only a full curve has 100. */
function percentOf({ amount, of }: NonNullable<CurveState['filled']>): number {
  return amount >= of ? 100 : Number((amount * 10_000n) / of) / 100
}

/** A pool without a trade is priced by its liquidity where that is the rule of its program. */
function marketCapAtOpening(pair: DecodedNewPair): string | null {
  const { curve, exchange, baseToken, quoteToken } = pair
  if (quoteToken.decimals === null) return null
  const [base, quote] = curve
    ? [curve.virtualBase, curve.virtualQuote]
    : PRICED_BY_RESERVES.has(exchange)
      ? [pair.baseTokenLiquidityAdded, pair.quoteTokenLiquidityAdded]
      : [null, null]
  return marketCap(base, quote, baseToken.supply, quoteToken.decimals)
}

/** Quote for the whole supply, at the price quote / base; null if one of them is unknown. */
function marketCap(
  base: bigint | null | undefined,
  quote: bigint | null | undefined,
  supply: bigint | null,
  quoteDecimals: number,
): string | null {
  if (!base || !quote || supply === null || base < 0n || quote < 0n) return null
  if (supply === 0n) return '0'
  // Both the base and the supply are in raw units, so its decimals cancel out.
  return quotePrice({ baseAmount: base, baseDecimals: 0, quoteAmount: quote * supply, quoteDecimals })
}

/** Has nine digits after the point. */
function shareOf(amount: bigint, supply: bigint | null): number | null {
  if (supply === null || supply <= 0n) return null
  const share = Number((amount * 1_000_000_000n) / supply) / 1e9
  // Tokens that are sold and bought again within the slot count twice.
  return Math.min(1, share)
}

function textOf(amount: bigint | null): string | null {
  return amount === null ? null : String(amount)
}
