import type { DecodedSwap } from '@pairwire/decoders'
import { KNOWN_SOL_POOLS } from './known-pools.ts'
import { isFresh, LEAST_DEPTH_USD, LEAST_NOTIONAL_USD, type Moment } from './pool-price.ts'

/**
 * The prices that pools of one token report, and the price that is believed.
 *
 *     trade --> price of its pool after it --> the block ends near it? --yes--> the wallet's vote in that pool
 *
 *     votes of a pool     two of its last wallets agree?   --yes--> their median is the pool's vote
 *     votes of all pools  what to believe of them is the rules' own
 *
 * Trades count from the next block on, so that no swap is valued by a price that its own block undoes.
 */
export type PoolVotes<Belief extends Dated> = ReturnType<typeof createPoolVotes<Belief>>

type Dated = Readonly<{ blockTime: number }>

/** The voting rules of one token. */
type Rules<Belief> = Readonly<{
  /** Share by which the votes of one pool, and the end of a block, may differ. */
  bound: number
  /** Forms a belief from the pools' votes. */
  decide(votes: readonly PoolVote[]): Belief | undefined
  /** Whether an old belief stays until it expires if no new one forms. */
  keepsOld: boolean
}>

type Said = Readonly<{ price: number; weight: number; depth: number }>
type Vote = Said & Readonly<{ blockTime: number }>
type Pool = Readonly<{
  address: string
  exchange: string
  isKnown: boolean
  /** By wallet, the newest last. */
  votes: Map<string, Vote>
  /** The votes of the current block. */
  coming: Map<string, Vote>
  /** The least that it held in each of the last blocks with trades. */
  depths: number[]
}>
/** A pool's price, with the size of the trades for it. */
export type PoolVote = Vote & Readonly<{ pool: Pool }>

/** Wallets whose last trades form a pool's vote: few, so that it follows the market. */
const WALLETS_PER_POOL = 5
/** Pools kept at a time, besides known ones. */
const MAX_POOLS = 64
/** Blocks during which a pool must hold its depth to count: a loan is gone in the same block. */
const DEEP_BLOCKS = 3

/** Creates votes without a belief. */
export function createPoolVotes<Belief extends Dated>(rules: Rules<Belief>) {
  const pools = new Map<string, Pool>()
  /** Pools traded in the current block. */
  const traded = new Set<Pool>()
  let now: Moment = { slot: -1, blockTime: 0 }
  let belief: Belief | undefined

  /** Blocks may repeat or come late, when a recording starts over or a source delivers by arrival. */
  const goTo = (moment: Moment) => {
    if (moment.slot === now.slot) return
    believe()
    now = moment
  }

  /** Forms the belief after the current block. */
  const believe = () => {
    if (traded.size === 0) return
    for (const pool of traded) takeVotes(pool, rules.bound)
    traded.clear()
    const votes: PoolVote[] = []
    for (const pool of pools.values()) {
      const vote = voteOf(pool, now.blockTime, rules.bound)
      if (vote) votes.push(vote)
      else if (pool.votes.size === 0) pools.delete(pool.address)
    }
    belief = rules.decide(votes) ?? (rules.keepsOld ? belief : undefined)
  }

  const poolOf = ({ ammAccount: address, exchange }: DecodedSwap, depth: number): Pool | undefined => {
    const found = pools.get(address)
    if (found) return found
    const isKnown = KNOWN_SOL_POOLS.has(address)
    if (!isKnown && (depth < LEAST_DEPTH_USD || pools.size >= MAX_POOLS)) return undefined
    const pool = { address, exchange, isKnown, votes: new Map(), coming: new Map(), depths: [] }
    pools.set(address, pool)
    return pool
  }

  /** The belief after completed blocks, for a trade ahead of them. */
  const believed = (blockTime: number): Belief | undefined =>
    belief && isFresh(belief.blockTime, blockTime) ? belief : undefined

  return {
    /** Records the price of a trade; `weight` is its size, `depth` what its pool holds, both in US dollars. */
    observe: (swap: DecodedSwap, said: Said, moment: Moment) => {
      goTo(moment)
      if (said.weight < LEAST_NOTIONAL_USD) return
      const pool = poolOf(swap, said.depth)
      if (!pool) return
      pool.coming.delete(swap.walletAccount)
      pool.coming.set(swap.walletAccount, { ...said, blockTime: moment.blockTime })
      traded.add(pool)
    },
    /** The belief after the blocks before `moment`; undefined when it is older than 60 s of block time. */
    at: (moment: Moment) => {
      goTo(moment)
      return believed(moment.blockTime)
    },
    believed,
    /** The block at `moment` has ended: the new belief is formed now, and not at the next trade. */
    endBlock: (moment: Moment) => {
      goTo(moment)
      believe()
    },
    /** Block time of the newest block seen. */
    blockTime: () => now.blockTime,
  }
}

/** Drops what was traded and undone within a block. */
function takeVotes({ votes, coming, depths }: Pool, bound: number): void {
  const made = [...coming.values()]
  const end = made.at(-1)!.price
  for (const [wallet, vote] of coming) {
    if (Math.abs(vote.price / end - 1) > bound) continue
    votes.delete(wallet)
    votes.set(wallet, vote)
  }
  coming.clear()
  for (const wallet of votes.keys()) {
    if (votes.size <= WALLETS_PER_POOL) break
    votes.delete(wallet)
  }
  depths.push(Math.min(...made.map(({ depth }) => depth)))
  if (depths.length > DEEP_BLOCKS) depths.shift()
}

/** Returns the price that two of the pool's last wallets agree on, with their trades' size. Drops old votes. */
function voteOf(pool: Pool, blockTime: number, bound: number): PoolVote | undefined {
  for (const [wallet, vote] of pool.votes) {
    if (!isFresh(vote.blockTime, blockTime)) pool.votes.delete(wallet)
  }
  const votes = [...pool.votes.values()]
  const agreement = agreed(
    votes.map((vote) => ({ ...vote, weight: 1 })),
    bound,
  )
  if (!agreement) return undefined
  const weight = votes.reduce((sum, vote) => sum + vote.weight, 0)
  const depth = pool.depths.length < DEEP_BLOCKS ? 0 : Math.min(...pool.depths)
  return { pool, price: agreement.price, weight, depth, blockTime: newest(agreement.votes) }
}

/** Block time of the newest of the votes. */
export function newest(votes: readonly Dated[]): number {
  return Math.max(...votes.map(({ blockTime }) => blockTime))
}

/** One opinion of a price. */
type Weighted = Readonly<{ price: number; weight: number }>

/** Share by which a vote may differ from the median and still agree with it. */
export const AGREEMENT = 0.005
/** Votes that must agree before anything is believed. */
const LEAST_VOTES = 2

/**
 * Returns the weighted median, with the votes that agree with it; undefined when fewer than two do. Unless one vote has
 * half of the weight, it lies within what the others say; of two votes it lies between, and they have to agree.
 */
export function agreed<Vote extends Weighted>(
  votes: readonly Vote[],
  bound = AGREEMENT,
): { price: number; votes: readonly Vote[] } | undefined {
  if (votes.length < LEAST_VOTES) return undefined
  const price = medianOf(votes)
  const agreeing = votes.filter((vote) => Math.abs(vote.price / price - 1) <= bound)
  return agreeing.length < LEAST_VOTES ? undefined : { price, votes: agreeing }
}

/**
 * Reduces the heaviest votes: two weigh the same, and of three or more none weighs more than a third of the total,
 * however much was traded for it.
 */
export function withoutMajority<Vote extends Weighted>(votes: readonly Vote[]): readonly Vote[] {
  const [, second = 0, ...lighter] = votes.map(({ weight }) => weight).sort((a, b) => b - a)
  const rest = lighter.reduce((sum, weight) => sum + weight, 0)
  const bound = votes.length < 3 ? second : rest < second ? rest : (second + rest) / 2
  return votes.map((vote) => (vote.weight > bound ? { ...vote, weight: bound } : vote))
}

/** Share by which the highest vote exceeds the lowest. */
export function spreadOf(votes: readonly Weighted[]): number {
  const prices = votes.map(({ price }) => price)
  return Math.max(...prices) / Math.min(...prices) - 1
}

function medianOf(votes: readonly Weighted[]): number {
  const sorted = [...votes].sort((a, b) => a.price - b.price)
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2
  let sum = 0
  for (const [at, { price, weight }] of sorted.entries()) {
    sum += weight
    if (sum > half) return price
    if (sum === half) return (price + (sorted[at + 1]?.price ?? price)) / 2
  }
  return sorted.at(-1)!.price
}
