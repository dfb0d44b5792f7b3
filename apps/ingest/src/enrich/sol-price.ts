import type { DecodedSwap } from '@pairwire/decoders'
import { agreed, spreadOf, withoutMajority } from './agreement.ts'
import { KNOWN_SOL_POOLS } from './known-pools.ts'
import {
  executionPrice,
  isFresh,
  LEAST_DEPTH_USD,
  LEAST_NOTIONAL_USD,
  type Moment,
  poolPrice,
  whole,
} from './pool-price.ts'

/**
 * US dollars for one SOL, as pools and their traders agree on it.
 *
 *     trade --> price of its pool after it --> the block ends near it? --yes--> the wallet's vote in that pool
 *
 *     votes of a pool     two of its last wallets agree?   --yes--> their median is the pool's vote
 *     votes of all pools  two pools agree?                 --yes--> their median, by notional, is believed
 *                                                          --no---> what was believed stands until it is 60 s old
 *
 * The known pools alone are asked where two of them have a vote, else every pool that is deep enough with them. What
 * trades leave behind counts from the next block on, so that nobody values a swap by a price that its own block undoes.
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

/** What is believed of the price of SOL, for people. */
export type SolPriceState = Readonly<{
  /** Null while no price is believed. */
  usdPerSol: number | null
  /** Seconds of block time since the newest trade that it is made of. */
  ageSeconds: number | null
  /** Share by which the highest of its pools stands above the lowest. */
  spread: number | null
  /** Pools that it is made of, the heaviest first. */
  pools: readonly Readonly<{ address: string; exchange: string; isKnown: boolean; usdPerSol: number }>[]
}>

/** Wallets whose last trades make a pool's vote: few, so that it keeps up with the market. */
const WALLETS_PER_POOL = 5
/** Pools nobody knows that are kept at a time. */
const MAX_UNKNOWN_POOLS = 64
/** No price outside of this is ever believed, not even as the first. */
const PLAUSIBLE_USD = { from: 1, to: 100_000 }
/** Share by which a block may end away from a trade that counts. */
const BLOCK_END_BOUND = 0.005

type Vote = Readonly<{ price: number; weight: number; blockTime: number }>
type Pool = Readonly<{
  address: string
  exchange: string
  isKnown: boolean
  /** By wallet, the newest last. */
  votes: Map<string, Vote>
  /** The same of the block that goes on. */
  coming: Map<string, Vote>
}>
type PoolVote = Vote & Readonly<{ pool: Pool }>
type Belief = Readonly<{ price: number; blockTime: number; votes: readonly PoolVote[] }>

/** Nothing is believed yet. */
export function createSolPrice(): SolPrice {
  const pools = new Map<string, Pool>()
  /** Pools traded in the block that goes on. */
  const traded = new Set<Pool>()
  let now: Moment = { slot: -1, blockTime: 0 }
  let belief: Belief | undefined

  /** Blocks may come again or late, where a recording begins again or a source gives what arrives as it arrives. */
  const goTo = (moment: Moment) => {
    believe()
    now = moment
  }

  /** Finds what is believed behind the block that goes on. */
  const believe = () => {
    if (traded.size === 0) return
    for (const pool of traded) takeVotes(pool)
    traded.clear()
    const votes: PoolVote[] = []
    for (const pool of pools.values()) {
      const vote = voteOf(pool, now.blockTime)
      if (vote) votes.push(vote)
      else if (pool.votes.size === 0) pools.delete(pool.address)
    }
    const known = votes.filter(({ pool }) => pool.isKnown)
    const heard = withoutMajority(known.length >= 2 ? known : votes)
    const agreement = agreed(heard)
    if (agreement) belief = { ...agreement, blockTime: newest(agreement.votes) }
  }

  const poolOf = (swap: DecodedSwap): Pool | undefined => {
    const address = swap.ammAccount
    const found = pools.get(address)
    if (found) return found
    const isKnown = KNOWN_SOL_POOLS.has(address)
    if (!isKnown && pools.size >= MAX_UNKNOWN_POOLS + KNOWN_SOL_POOLS.size) return undefined
    const pool = { address, exchange: swap.exchange, isKnown, votes: new Map(), coming: new Map() }
    pools.set(address, pool)
    return pool
  }

  const believed = (blockTime: number) =>
    belief && isFresh(belief.blockTime, blockTime) ? belief.price : null

  return {
    observe: (swap, moment) => {
      if (moment.slot !== now.slot) goTo(moment)
      const weight = whole(swap.quoteAmount, swap.quoteDecimals)
      if (weight < LEAST_NOTIONAL_USD) return
      const price = priceOf(swap)
      if (price === undefined || !(price >= PLAUSIBLE_USD.from && price <= PLAUSIBLE_USD.to)) return
      const pool = poolOf(swap)
      if (!pool) return
      pool.coming.delete(swap.walletAccount)
      pool.coming.set(swap.walletAccount, { price, weight, blockTime: moment.blockTime })
      traded.add(pool)
    },
    at: (moment) => {
      if (moment.slot !== now.slot) goTo(moment)
      return believed(moment.blockTime)
    },
    believed,
    endBlock: (moment) => {
      if (moment.slot !== now.slot) goTo(moment)
      believe()
    },
    read: () => {
      if (!belief || !isFresh(belief.blockTime, now.blockTime)) {
        return { usdPerSol: null, ageSeconds: null, spread: null, pools: [] }
      }
      const { price, blockTime, votes } = belief
      return {
        usdPerSol: price,
        ageSeconds: Math.max(0, now.blockTime - blockTime),
        spread: spreadOf(votes),
        pools: [...votes]
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

/**
 * What the pool's reserves say after the trade. Of a known pool whose reserves say nothing, concentrated liquidity most
 * of all, what the trade paid: it lies between the prices before and after it, but for the fee.
 */
function priceOf(swap: DecodedSwap): number | undefined {
  const price = poolPrice(swap)
  if (KNOWN_SOL_POOLS.has(swap.ammAccount)) return price ?? executionPrice(swap)
  return whole(swap.quoteTokenLiquidity ?? 0n, swap.quoteDecimals) >= LEAST_DEPTH_USD ? price : undefined
}

/** What was traded in a block and undone in it counts for nothing. */
function takeVotes({ votes, coming }: Pool): void {
  const end = [...coming.values()].at(-1)!.price
  for (const [wallet, vote] of coming) {
    if (Math.abs(vote.price / end - 1) > BLOCK_END_BOUND) continue
    votes.delete(wallet)
    votes.set(wallet, vote)
  }
  coming.clear()
  for (const wallet of votes.keys()) {
    if (votes.size <= WALLETS_PER_POOL) break
    votes.delete(wallet)
  }
}

/** What two of the pool's last wallets agree on, with what they traded for. Votes that are too old are let go. */
function voteOf(pool: Pool, blockTime: number): PoolVote | undefined {
  for (const [wallet, vote] of pool.votes) {
    if (!isFresh(vote.blockTime, blockTime)) pool.votes.delete(wallet)
  }
  const votes = [...pool.votes.values()]
  const agreement = agreed(votes.map((vote) => ({ ...vote, weight: 1 })))
  if (!agreement) return undefined
  const weight = votes.reduce((sum, vote) => sum + vote.weight, 0)
  return { pool, price: agreement.price, weight, blockTime: newest(agreement.votes) }
}

function newest(votes: readonly Vote[]): number {
  return Math.max(...votes.map(({ blockTime }) => blockTime))
}
