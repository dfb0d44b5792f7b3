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
 * US dollars for one SOL, as pools and their traders agree on it.
 *
 *     votes of all pools  two pools agree?                 --yes--> their median, by notional, is believed
 *                                                          --no---> what was believed stands until it is 60 s old
 *
 * The known pools alone are asked where two of them have a vote, else every pool that is deep enough with them.
 */
type SolPrice = Readonly<{
  /** Takes a trade of SOL against a stable token. */
  observe(swap: DecodedSwap, moment: Moment): void
  /** Null when nothing is believed from the last 60 s of block time. */
  at(moment: Moment): number | null
  /** What is believed of the blocks that have ended, for a trade ahead of them; null where that is too old. */
  believed(blockTime: number): number | null
  /** The block at `moment` has ended: what is believed behind it is found now, and not at the next trade. */
  endBlock(moment: Moment): void
  /** What is believed at the newest block, and by whom. */
  read(): SolPriceState
}>

/** No price outside of this is ever believed, not even as the first. */
const PLAUSIBLE_USD = { from: 1, to: 100_000 }

/** Nothing is believed yet. */
export function createSolPrice(): SolPrice {
  const votes = createPoolVotes({ bound: AGREEMENT, decide, keepsOld: true })
  return {
    observe: (swap, moment) => {
      const price = priceOf(swap)
      if (price === undefined || !(price >= PLAUSIBLE_USD.from && price <= PLAUSIBLE_USD.to)) return
      const weight = whole(swap.quoteAmount, swap.quoteDecimals)
      votes.observe(swap, { price, weight, depth: depthOf(swap) }, moment)
    },
    at: (moment) => votes.at(moment)?.price ?? null,
    believed: (blockTime) => votes.believed(blockTime)?.price ?? null,
    endBlock: votes.endBlock,
    read: () => {
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

function decide(votes: readonly PoolVote[]) {
  const known = votes.filter(({ pool }) => pool.isKnown)
  const agreement = agreed(withoutMajority(known.length >= 2 ? known : votes))
  return agreement && { ...agreement, blockTime: newest(agreement.votes) }
}

/**
 * What the pool's reserves say after the trade. Of a known pool whose reserves say nothing, concentrated liquidity most
 * of all, what the trade paid: it lies between the prices before and after it, but for the fee.
 */
function priceOf(swap: DecodedSwap): number | undefined {
  const price = poolPrice(swap)
  if (KNOWN_SOL_POOLS.has(swap.ammAccount)) return price ?? executionPrice(swap)
  return depthOf(swap) >= LEAST_DEPTH_USD ? price : undefined
}

function depthOf({ quoteTokenLiquidity, quoteDecimals }: DecodedSwap): number {
  return whole(quoteTokenLiquidity ?? 0n, quoteDecimals)
}
