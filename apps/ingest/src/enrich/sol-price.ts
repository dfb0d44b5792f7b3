import type { SolPriceState } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'
import { KNOWN_SOL_POOLS } from './known-pools.ts'
import { executionPrice, LEAST_DEPTH_USD, type Moment, poolPrice, whole } from './pool-price.ts'
import {
  AGREEMENT,
  agreed,
  createPoolVotes,
  newest,
  type PoolVote,
  spreadOf,
  withoutMajority,
} from './pool-votes.ts'

/**
 * US dollars for one SOL, as agreed by pools and their traders.
 *
 *     votes of all pools  two pools agree?                 --yes--> their median, by notional, is believed
 *                                                          --no---> what was believed stands until it is 60 s old
 *
 * If two known pools have a vote, only known pools count, else every pool that is deep enough too.
 */
export function createSolPrice() {
  const votes = createPoolVotes({ bound: AGREEMENT, decide, keepsOld: true })
  return {
    /** Takes a trade of SOL against a stable token. */
    observe: (swap: DecodedSwap, moment: Moment) => {
      const price = priceOf(swap)
      if (price === undefined || !(price >= PLAUSIBLE_USD.from && price <= PLAUSIBLE_USD.to)) return
      const weight = whole(swap.quoteAmount, swap.quoteDecimals)
      votes.observe(swap, { price, weight, depth: depthOf(swap) }, moment)
    },
    /** Null without a belief from the last 60 s of block time. */
    at: (moment: Moment) => votes.at(moment)?.price ?? null,
    /** The belief after completed blocks, for a trade ahead of them; null if too old. */
    believed: (blockTime: number) => votes.believed(blockTime)?.price ?? null,
    endBlock: votes.endBlock,
    /** The belief at the newest block, and the pools behind it. */
    read: (): SolPriceState => {
      const blockTime = votes.blockTime()
      const belief = votes.believed(blockTime)
      if (!belief) return { usdPerSol: null, ageSeconds: null, spread: null, pools: [] }
      return {
        usdPerSol: belief.price,
        ageSeconds: Math.max(0, blockTime - belief.blockTime),
        spread: spreadOf(belief.votes),
        pools: [...belief.votes]
          .sort((a, b) => b.weight - a.weight)
          .map(({ pool: { address, exchange, isKnown }, price: usdPerSol }) => ({
            address,
            exchange,
            isKnown,
            usdPerSol,
          })),
      }
    },
  }
}

/** No price outside this range is ever believed, not even the first. */
const PLAUSIBLE_USD = { from: 1, to: 100_000 }

function decide(votes: readonly PoolVote[]) {
  const known = votes.filter(({ pool }) => pool.isKnown)
  const agreement = agreed(withoutMajority(known.length >= 2 ? known : votes))
  return agreement && { ...agreement, blockTime: newest(agreement.votes) }
}

/**
 * Returns the price of the pool's reserves after the trade. For a known pool whose reserves tell none, mainly with
 * concentrated liquidity, it is the price paid, which lies between those before and after, except for the fee.
 */
function priceOf(swap: DecodedSwap): number | undefined {
  const price = poolPrice(swap)
  if (KNOWN_SOL_POOLS.has(swap.ammAccount)) return price ?? executionPrice(swap)
  return depthOf(swap) >= LEAST_DEPTH_USD ? price : undefined
}

function depthOf({ quoteTokenLiquidity, quoteDecimals }: DecodedSwap): number {
  return whole(quoteTokenLiquidity ?? 0n, quoteDecimals)
}
