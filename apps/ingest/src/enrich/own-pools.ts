import { WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'
import { isFresh, isStable, type Moment, poolPrice, whole } from './pool-price.ts'

/**
 * Prices of tokens that pools are quoted in and that are neither SOL nor stable, each from its own deepest pool
 * against one of these. A token is watched once somebody asks for its price.
 */
export type OwnPools = Readonly<{
  /** Takes any trade of a base token against SOL or a stable token. */
  observe(swap: DecodedSwap, moment: Moment): void
  /** As blocks before `moment` left it; undefined when nothing is known from the last 60 s. */
  priceOf(mint: string, moment: Moment): OwnPrice | undefined
}>

/** What a pool said of its base token. */
export type OwnPrice = Readonly<{
  /** Whether it is in SOL, else in US dollars; for one whole token. */
  isInSol: boolean
  price: number
  /** Whole units of the quote in the pool. */
  depth: number
}>

/** Tokens that are watched at a time. Beyond, the one that was asked for first is let go. */
const MAX_TOKENS = 1_000

type Said = OwnPrice & Moment & Readonly<{ pool: string }>
type Watched = { before: Said | undefined; newest: Said | undefined }

/** Watches nothing yet. */
export function createOwnPools(): OwnPools {
  const tokens = new Map<string, Watched>()

  return {
    observe: (swap, moment) => {
      if (tokens.size === 0) return
      const token = tokens.get(swap.baseTokenMint)
      if (!token) return
      const isInSol = swap.quoteTokenMint === WRAPPED_SOL
      const price = isInSol || isStable(swap.quoteTokenMint) ? poolPrice(swap) : undefined
      if (price === undefined) return
      const depth = whole(swap.quoteTokenLiquidity ?? 0n, swap.quoteDecimals)
      const said = { pool: swap.ammAccount, isInSol, price, depth, ...moment }
      const { newest } = token
      if (
        newest &&
        newest.pool !== said.pool &&
        isFresh(newest.blockTime, moment.blockTime) &&
        !isDeeper(said, newest)
      )
        return
      if (newest && newest.slot !== moment.slot) token.before = newest
      token.newest = said
    },
    priceOf: (mint, moment) => {
      const token = tokens.get(mint)
      if (!token) {
        const [oldest] = tokens.keys()
        if (tokens.size >= MAX_TOKENS && oldest !== undefined) tokens.delete(oldest)
        tokens.set(mint, { before: undefined, newest: undefined })
        return undefined
      }
      const { before, newest } = token
      const said = newest?.slot === moment.slot ? before : newest
      return said && isFresh(said.blockTime, moment.blockTime) ? said : undefined
    },
  }
}

/** Pools in SOL come before those in dollars: their depths cannot be compared without a price of SOL. */
function isDeeper(one: OwnPrice, other: OwnPrice): boolean {
  return one.isInSol === other.isInSol ? one.depth > other.depth : one.isInSol
}
