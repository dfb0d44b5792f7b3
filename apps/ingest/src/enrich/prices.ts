import { WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'
import { createOwnPools, type OwnPrice } from './own-pools.ts'
import { dollars, isSolTrade, isStable, type Moment, whole } from './pool-price.ts'
import { createSolPrice } from './sol-price.ts'

/**
 * The value of a quote token in US dollars, learned from the stream's own trades:
 *
 *     stable token   one dollar
 *     SOL            what several pools of SOL against stable tokens agree on
 *     any other      what its own deep pools against SOL or a stable token say, while none of them stands apart
 */
export type Prices = ReturnType<typeof createPrices>

/** Creates prices that know SOL as soon as two pools agree on it. */
export function createPrices() {
  const sol = createSolPrice()
  const ownPools = createOwnPools(sol.at)

  /** A pool pays no more than it holds, whatever its price says. */
  const valueByOwnPool = (swap: DecodedSwap, own: OwnPrice | undefined): number | null => {
    if (!own) return null
    const value = whole(swap.quoteAmount, swap.quoteDecimals) * own.price
    return value <= own.depth ? dollars(value) : null
  }

  const valueInSol = (swap: DecodedSwap, usd: number | null): number | null =>
    usd === null ? null : dollars(whole(swap.quoteAmount, swap.quoteDecimals) * usd)

  return {
    /** Learns from a trade. Trades come in chain order; a block counts from the next one on. */
    observe: (swap: DecodedSwap, moment: Moment) => {
      if (isSolTrade(swap)) sol.observe(swap, moment)
      else ownPools.observe(swap, moment)
    },
    /** US dollars of a whole quote amount; null without a price from the last 60 s of block time. */
    usdValue: (swap: DecodedSwap, moment: Moment) => {
      const { quoteTokenMint: quote } = swap
      if (quote === WRAPPED_SOL) return valueInSol(swap, sol.at(moment))
      return stableValue(swap) ?? valueByOwnPool(swap, ownPools.priceOf(quote, moment))
    },
    /** The same for a trade ahead of its block, from current knowledge; it starts no watching. */
    knownUsdValue: (swap: DecodedSwap, blockTime: number) => {
      const { quoteTokenMint: quote } = swap
      if (quote === WRAPPED_SOL) return valueInSol(swap, sol.believed(blockTime))
      return stableValue(swap) ?? valueByOwnPool(swap, ownPools.knownPriceOf(quote, blockTime))
    },
    /** The learned block at `moment` has ended; without this call, the first trade of the next one tells. */
    endBlock: (moment: Moment) => {
      sol.endBlock(moment)
      ownPools.endBlock(moment)
    },
    read: sol.read,
  }
}

/** US dollars of a quote amount in a stable token; null for any other. */
export function stableValue(swap: DecodedSwap): number | null {
  return isStable(swap.quoteTokenMint) ? dollars(whole(swap.quoteAmount, swap.quoteDecimals)) : null
}
