import type {
  CurveFacts,
  NewPairFacts,
  NotificationEvent,
  PairToken,
  StreamEvent,
  Swap,
  SwapFacts,
} from '@pairwire/contract'
import type { CurveState, DecodedNewPair, DecodedSwap } from '@pairwire/decoders'
import { MAX_LINK_LENGTH } from '../bound-text.ts'
import { dollars, PRICED_BY_RESERVES } from './pool-price.ts'

/** Facts of a swap; `supply` is how many raw units of its base token exist, null if unknown. */
export function swapFactsOf(swap: DecodedSwap, supply: bigint | null): SwapFacts {
  const { walletBalance, curve, baseAmount, quoteAmount, quoteDecimals } = swap
  return {
    marketCap:
      marketCap(curve?.virtualBase, curve?.virtualQuote, supply, quoteDecimals) ??
      marketCap(baseAmount, quoteAmount, supply, quoteDecimals),
    walletBalance,
    curve: curve && curveFactsOf(curve),
  }
}

/**
 * Facts of a new pair as it opens. Those after its transaction are of {@link afterOwnSwaps}; who else bought is known at
 * the end of the block, see {@link withSlotBuyers}.
 */
export function newPairFactsOf(pair: DecodedNewPair): NewPairFacts {
  const { creator, baseToken, curve } = pair
  return {
    creator,
    uri: (baseToken.uri?.length ?? 0) <= MAX_LINK_LENGTH ? baseToken.uri : null,
    creatorBuy: null,
    slotBuyers: null,
    slotBuyShare: null,
    curve: curve && curveFactsOf(curve),
    marketCap: marketCapAtOpening(pair),
  }
}

/** The event of a new pair. */
export type NewPairEvent = Extract<NotificationEvent, { kind: 'newPair' }>

/** Adds to the new pairs of a transaction what its swaps behind them did. */
export function afterOwnSwaps(events: readonly NotificationEvent[]): readonly NotificationEvent[] {
  if (!events.some(({ kind }) => kind === 'swap')) return events
  return events.map((event, at) => {
    if (event.kind !== 'newPair' || !event.facts) return event
    const { ammAccount, baseToken } = event.params.pair
    const { creator } = event.facts
    let last: SwapFacts | undefined
    const buys: Swap[] = []
    for (const other of events.slice(at + 1)) {
      if (other.kind !== 'swap' || other.params.swap.ammAccount !== ammAccount) continue
      const { swap } = other.params
      last = other.facts
      if (swap.swapType === 'buy' && swap.walletAccount === creator) buys.push(swap)
    }
    if (!last) return event
    const { curve, marketCap } = last
    return { ...event, facts: { ...event.facts, curve, marketCap, creatorBuy: sumOf(buys, baseToken) } }
  })
}

function sumOf(buys: readonly Swap[], token: PairToken): NewPairFacts['creatorBuy'] {
  if (buys.length === 0) return null
  const base = buys.reduce((sum, { baseAmount }) => sum + BigInt(baseAmount), 0n)
  const quote = buys.reduce((sum, { quoteAmount }) => sum + BigInt(quoteAmount), 0n)
  const value = buys.reduce((sum, { usdValue }) => sum + (usdValue ?? Number.NaN), 0)
  return {
    baseAmount: String(base),
    quoteAmount: String(quote),
    usdValue: Number.isNaN(value) ? null : dollars(value),
    supplyShare: shareOf(base, token),
  }
}

/** Adds to the new pairs of a whole block who else bought in it, and what they hold of that at its end. */
export function withSlotBuyers(batch: StreamEvent[]): void {
  const opened = new Map<string, { at: number; event: NewPairEvent; held: Map<string, bigint> }>()
  for (let at = 0; at < batch.length; at++) {
    const event = batch[at]!
    if (event.kind === 'newPair') opened.set(event.params.pair.ammAccount, { at, event, held: new Map() })
    if (event.kind !== 'swap' || opened.size === 0) continue
    const { ammAccount, swapType, walletAccount, baseAmount } = event.params.swap
    const pair = opened.get(ammAccount)
    if (!pair || walletAccount === pair.event.facts?.creator) continue
    const before = pair.held.get(walletAccount)
    if (swapType === 'buy') pair.held.set(walletAccount, (before ?? 0n) + BigInt(baseAmount))
    else if (before !== undefined) pair.held.set(walletAccount, atLeastNone(before - BigInt(baseAmount)))
  }
  for (const { at, event, held } of opened.values()) {
    if (!event.facts) continue
    const sum = [...held.values()].reduce((all, amount) => all + amount, 0n)
    const slotBuyShare = shareOf(sum, event.params.pair.baseToken)
    batch[at] = { ...event, facts: { ...event.facts, slotBuyers: held.size, slotBuyShare } }
  }
}

/** A wallet may sell what it had from elsewhere. */
function atLeastNone(amount: bigint): bigint {
  return amount < 0n ? 0n : amount
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

/** Quote for the whole supply at the price quote / base, to the raw unit; null if one of them is unknown. */
function marketCap(
  base: bigint | null | undefined,
  quote: bigint | null | undefined,
  supply: bigint | null,
  quoteDecimals: number,
): string | null {
  if (!base || !quote || supply === null || base < 0n || quote < 0n) return null
  const raw = String((quote * supply) / base)
  if (quoteDecimals === 0) return raw
  const digits = raw.length > quoteDecimals ? raw : raw.padStart(quoteDecimals + 1, '0')
  const point = digits.length - quoteDecimals
  return `${digits.slice(0, point)}.${digits.slice(point)}`
}

/** Has nine digits after the point; null while the supply is unknown. */
function shareOf(amount: bigint, { info }: PairToken): number | null {
  const supply = info ? BigInt(info.supply) : 0n
  // What is minted behind the creation may be sold in its slot too.
  return supply === 0n ? null : Math.min(1, Number((amount * 1_000_000_000n) / supply) / 1e9)
}

function textOf(amount: bigint | null): string | null {
  return amount === null ? null : String(amount)
}
