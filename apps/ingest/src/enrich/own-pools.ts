import { WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'
import { isFresh, isStable, LEAST_DEPTH_USD, type Moment, poolPrice, whole } from './pool-price.ts'

/**
 * Prices of tokens that pools are quoted in and that are neither SOL nor stable, each from its own deepest pool
 * against one of these. A token is watched once somebody asks for its price.
 */
type OwnPools = Readonly<{
  /** Takes any trade. */
  observe(swap: DecodedSwap, moment: Moment): void
  /** As blocks before `moment` left it; undefined when nothing is known from the last 60 s. */
  priceOf(mint: string, moment: Moment): OwnPrice | undefined
  /** The same, and no token is watched by it. */
  lookUp(mint: string, moment: Moment): OwnPrice | undefined
  /** As blocks that have ended left it, for a trade ahead of them; no token is watched by it. */
  knownPriceOf(mint: string, blockTime: number): OwnPrice | undefined
}>

/** What a pool said of its base token. */
export type OwnPrice = Readonly<{
  /** US dollars for one whole token. */
  usd: number
  /** US dollars of the quote in the pool. */
  depthUsd: number
}>

/** Tokens that are watched at a time. Beyond, the one that was asked for first is let go. */
const MAX_TOKENS = 1_000

type Said = OwnPrice & Moment & Readonly<{ pool: string }>
/** What was said last in the newest block that said anything, and in the one before that. */
type Watched = { before: Said | undefined; newest: Said | undefined }

/** Watches nothing yet. `solPrice` gives US dollars for one SOL; null while it is not known. */
export function createOwnPools(solPrice: (moment: Moment) => number | null): OwnPools {
  const tokens = new Map<string, Watched>()

  const usdOfQuote = (mint: string, moment: Moment): number | null => {
    if (mint === WRAPPED_SOL) return solPrice(moment)
    return isStable(mint) ? 1 : null
  }

  const lookUp = (mint: string, moment: Moment): OwnPrice | undefined => {
    const token = tokens.get(mint)
    return believable(token?.newest?.slot === moment.slot ? token.before : token?.newest, moment.blockTime)
  }

  return {
    observe: (swap, moment) => {
      if (tokens.size === 0) return
      const token = tokens.get(swap.baseTokenMint)
      if (!token) return
      const price = poolPrice(swap)
      const usd = usdOfQuote(swap.quoteTokenMint, moment)
      if (price === undefined || usd === null) return
      const depthUsd = whole(swap.quoteTokenLiquidity ?? 0n, swap.quoteDecimals) * usd
      const { newest } = token
      const isAnother = newest !== undefined && newest.pool !== swap.ammAccount
      const isBehind = isAnother && isFresh(newest.blockTime, moment.blockTime) && newest.depthUsd >= depthUsd
      if (isBehind) return
      const { slot, blockTime } = moment
      if (newest && newest.slot !== slot) token.before = newest
      token.newest = { pool: swap.ammAccount, usd: price * usd, depthUsd, slot, blockTime }
    },
    priceOf: (mint, moment) => {
      if (tokens.has(mint)) return lookUp(mint, moment)
      const [oldest] = tokens.keys()
      if (tokens.size >= MAX_TOKENS && oldest !== undefined) tokens.delete(oldest)
      tokens.set(mint, { before: undefined, newest: undefined })
      return undefined
    },
    lookUp,
    // The newest block that said anything may still go on.
    knownPriceOf: (mint, blockTime) => believable(tokens.get(mint)?.before, blockTime),
  }
}

function believable(said: Said | undefined, blockTime: number): OwnPrice | undefined {
  if (!said || said.depthUsd < LEAST_DEPTH_USD) return undefined
  return isFresh(said.blockTime, blockTime) ? said : undefined
}
