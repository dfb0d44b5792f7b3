import { USDC, WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'
import type { Moment } from '../enrich/pool-price.ts'
import { aSwap } from './a-swap.ts'

/** A pool of SOL against a stable token with real reserves and a fee of 0.25 %, for tests. */
export type SolPool = Readonly<{
  /** Buys or sells until the pool reaches `price`; undefined if it is already there. */
  moveTo(price: number, wallet: string): DecodedSwap | undefined
  /** Buys SOL for that many dollars, or sells for a negative number. */
  trade(usd: number, wallet: string): DecodedSwap
  price(): number
  /** Fees paid. */
  feesUsd(): number
}>

const FEE = 0.0025

/** A pool that begins with that many dollars on either side. */
export function aSolPool(
  ammAccount: string,
  price: number,
  usd = 2_000_000,
  quoteTokenMint: string = USDC,
): SolPool {
  let base = usd / price
  let quote = usd
  let fees = 0

  const swap = (isBuy: boolean, baseMoved: number, quoteMoved: number, walletAccount: string) => {
    base += isBuy ? -baseMoved : baseMoved
    quote += isBuy ? quoteMoved : -quoteMoved
    fees += quoteMoved * FEE
    return aSwap({
      exchange: 'raydium',
      ammAccount,
      baseTokenMint: WRAPPED_SOL,
      quoteTokenMint,
      walletAccount,
      swapType: isBuy ? 'buy' : 'sell',
      baseAmount: raw(baseMoved, 9),
      quoteAmount: raw(quoteMoved, 6),
      baseDecimals: 9,
      quoteDecimals: 6,
      baseTokenLiquidity: raw(base, 9),
      quoteTokenLiquidity: raw(quote, 6),
    })
  }
  const trade = (usd: number, wallet: string) => {
    if (usd >= 0) return swap(true, (base * usd * (1 - FEE)) / (quote + usd * (1 - FEE)), usd, wallet)
    return swap(false, (base * -usd) / (quote + usd) / (1 - FEE), -usd, wallet)
  }

  return {
    trade,
    moveTo: (to, wallet) => {
      const usd = Math.sqrt(base * quote * to) - quote
      return Math.abs(usd) < 25 ? undefined : trade(usd, wallet)
    },
    price: () => quote / base,
    feesUsd: () => fees,
  }
}

function raw(amount: number, decimals: number): bigint {
  return BigInt(Math.max(1, Math.round(amount * 10 ** decimals)))
}

/** The moment of block number `at`; there are five in two seconds. */
export function blockMoment(at: number): Moment {
  return { slot: 1_000 + at, blockTime: 1_790_000_000 + Math.floor(at * 0.4) }
}

/** A swap of one SOL against some token. */
export const ONE_SOL = aSwap({ quoteAmount: 1_000_000_000n })
