import { BoundedMap } from '@pairwire/basics/bounded-map'
import { WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'
import { isStable, LEAST_DEPTH_USD, type Moment, poolPrice, whole } from './pool-price.ts'
import { createPoolVotes, type PoolVote, type PoolVotes, spreadOf } from './pool-votes.ts'

/** What pools tell about their base token: its price in US dollars, and the depth of the deepest pool's quote. */
export type OwnPrice = Pick<PoolVote, 'price' | 'depth'>

/** Tokens watched at a time. Beyond that, the one not requested for longest is dropped. */
const MAX_TOKENS = 1_000
/** Share by which trades of one block or pool, and deep pools, may differ: a usual trade moves them more than SOL's. */
const BOUND = 0.05

/**
 * Prices of quote tokens that are neither SOL nor stable, each from its own pools against one of these: the deepest
 * one's, if the other deep ones agree. A token is watched from the first request for its price.
 *
 * @param solPrice returns US dollars per SOL; null while unknown
 */
export function createOwnPools(solPrice: (moment: Moment) => number | null) {
  const tokens = new BoundedMap<string, PoolVotes<PoolVote>>(MAX_TOKENS)

  const usdOfQuote = (mint: string, moment: Moment): number | null => {
    if (mint === WRAPPED_SOL) return solPrice(moment)
    return isStable(mint) ? 1 : null
  }

  return {
    /** Takes any trade. */
    observe: (swap: DecodedSwap, moment: Moment) => {
      const votes = tokens.get(swap.baseTokenMint)
      if (!votes) return
      const price = poolPrice(swap)
      const usd = usdOfQuote(swap.quoteTokenMint, moment)
      if (price === undefined || usd === null) return
      const inUsd = (amount: bigint | null) => whole(amount ?? 0n, swap.quoteDecimals) * usd
      const said = {
        price: price * usd,
        weight: inUsd(swap.quoteAmount),
        depth: inUsd(swap.quoteTokenLiquidity),
      }
      votes.observe(swap, said, moment)
    },
    /** Returns the price after the blocks before `moment`; undefined when there was none in the last 60 s. */
    priceOf: (mint: string, moment: Moment): OwnPrice | undefined => {
      const votes = tokens.get(mint) ?? createPoolVotes({ bound: BOUND, decide, keepsOld: false })
      tokens.set(mint, votes)
      return votes.at(moment)
    },
    /** Returns the price after completed blocks, for a trade ahead of them; it starts no watching. */
    knownPriceOf: (mint: string, blockTime: number): OwnPrice | undefined =>
      tokens.get(mint)?.believed(blockTime),
    endBlock: (moment: Moment) => {
      for (const votes of tokens.values()) votes.endBlock(moment)
    },
  }
}

/** One disagreeing pool makes the price unknown, since nothing tells which of them is honest. */
function decide(votes: readonly PoolVote[]): PoolVote | undefined {
  const deep = votes.filter(({ depth }) => depth >= LEAST_DEPTH_USD).sort((a, b) => b.depth - a.depth)
  return deep.length > 0 && spreadOf(deep) <= BOUND ? deep[0] : undefined
}
