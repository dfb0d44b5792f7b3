import { STABLE_MINTS, WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'

/**
 * What a quote token is worth in US dollars, learned from the stream's own trades of SOL against stable tokens.
 *
 *     trade of SOL/stable --> within 5 % of the price? --yes--> one of the last trades: price = their median
 *                                     | no
 *                                     v
 *                             a candidate: believed once 5 of them, by 3 wallets, agree within 2 %
 *                             (forgotten as soon as a trade within the bound comes)
 */
export type Prices = Readonly<{
  /** Learns from a trade, if it is one of SOL against a stable token. Trades come in chain order. */
  observe(swap: DecodedSwap, blockTime: number): void
  /** US dollars of a whole quote amount; null when no price is known from the last 60 s of block time. */
  usdValue(swap: DecodedSwap, blockTime: number | null): number | null
}>

/** Seconds of block time after which a price counts as unknown. */
export const PRICE_MAX_AGE_SECONDS = 60
/** Smaller trades say little and cost nothing to make. */
export const LEAST_NOTIONAL_USD = 20
/** A trade further from the price than this share is doubted. */
export const JUMP_BOUND = 0.05
/** Doubted trades that have to agree, within {@link AGREEMENT}, before they are believed; and their wallets. */
export const CONFIRMATIONS = 5
export const CONFIRMING_WALLETS = 3
export const AGREEMENT = 0.02
/** No price outside of this is ever believed, not even as the first. */
export const PLAUSIBLE_USD = { from: 1, to: 100_000 }
/** Trades of which the median is taken. */
const WINDOW = 9

type Observation = Readonly<{ price: number; wallet: string; blockTime: number }>

/** Prices that know SOL as soon as a trade tells. */
export function createPrices(): Prices {
  let trusted: Observation[] = []
  let doubted: Observation[] = []
  let median = 0

  const trust = (observations: readonly Observation[]) => {
    trusted = observations.slice(-WINDOW)
    doubted = []
    median = medianOf(trusted)
  }

  return {
    observe: (swap, blockTime) => {
      const observation = readObservation(swap, blockTime)
      if (!observation) return

      trusted = trusted.filter((each) => isFresh(each, blockTime))
      if (trusted.length === 0) {
        trust([observation])
      } else if (Math.abs(observation.price / median - 1) <= JUMP_BOUND) {
        trust([...trusted, observation])
      } else {
        doubted = [...doubted, observation].filter(
          (each) => isFresh(each, blockTime) && Math.abs(each.price / observation.price - 1) <= AGREEMENT,
        )
        const wallets = new Set(doubted.map((each) => each.wallet))
        if (doubted.length >= CONFIRMATIONS && wallets.size >= CONFIRMING_WALLETS) trust(doubted)
      }
    },
    usdValue: (swap, blockTime) => {
      if (isStable(swap.quoteTokenMint)) return stableValue(swap)
      if (swap.quoteTokenMint !== WRAPPED_SOL || blockTime === null) return null

      const newest = trusted.at(-1)
      if (!newest || !isFresh(newest, blockTime)) return null
      return dollars((Number(swap.quoteAmount) / 10 ** swap.quoteDecimals) * median)
    },
  }
}

/** Prices that know nothing but the stable tokens. */
export const stablePrices: Prices = {
  observe: () => undefined,
  usdValue: (swap) => (isStable(swap.quoteTokenMint) ? stableValue(swap) : null),
}

function readObservation(swap: DecodedSwap, blockTime: number): Observation | undefined {
  if (swap.baseTokenMint !== WRAPPED_SOL || !isStable(swap.quoteTokenMint)) return undefined
  const notional = Number(swap.quoteAmount) / 10 ** swap.quoteDecimals
  if (notional < LEAST_NOTIONAL_USD) return undefined

  const price = notional / (Number(swap.baseAmount) / 10 ** swap.baseDecimals)
  if (!(price >= PLAUSIBLE_USD.from && price <= PLAUSIBLE_USD.to)) return undefined
  return { price, wallet: swap.walletAccount, blockTime }
}

function isFresh(observation: Observation, blockTime: number): boolean {
  return Math.abs(blockTime - observation.blockTime) <= PRICE_MAX_AGE_SECONDS
}

function isStable(mint: string): boolean {
  return STABLE_MINTS.includes(mint)
}

function stableValue(swap: DecodedSwap): number {
  return dollars(Number(swap.quoteAmount) / 10 ** swap.quoteDecimals)
}

/** To a millionth of a dollar, but never down to a zero that would read as unknown. */
function dollars(value: number): number {
  return Math.round(value * 1e6) / 1e6 || value
}

function medianOf(observations: readonly Observation[]): number {
  const sorted = observations.map((each) => each.price).sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
