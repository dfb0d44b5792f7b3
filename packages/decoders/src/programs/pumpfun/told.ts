import { type Launchpad, WRAPPED_SOL } from '@pairwire/contract'
import { isZeroKey } from '../../bytes/key-table.ts'
import type { CreationSide } from '../../decoder.ts'
import { addressOf } from '../../transaction/call-tree.ts'
import { COIN_DECIMALS, type CreateEvent, type PostCompleteBuyEvent, type TradeEvent } from './layout.ts'

/** What was exchanged with a curve as the program's events tell it, fees left out. */
type ToldTrade = Readonly<{
  quoteMint: string
  /** Whether the quote moves as lamports. */
  isSol: boolean
  /** Raw units, both above zero whatever the direction. */
  tokenAmount: bigint
  quoteAmount: bigint
  /** Raw units of the quote after it. */
  quoteReserve: bigint
}>

/** A trade's amounts, summed with what its completing buy took from the coming pool. */
export function readToldTrade(event: TradeEvent, beyond: PostCompleteBuyEvent | null): ToldTrade {
  // Where SOL is the quote both fields say the same; for other quotes the SOL fields are zero.
  const quoteMint = event.quote === null ? WRAPPED_SOL : quoteMintOf(event.quote.mint)
  const isSol = event.quote === null || (quoteMint === WRAPPED_SOL && event.solAmount > 0n)
  const quoteBeyond = beyond?.quoteIn ?? 0n
  return {
    quoteMint,
    isSol,
    tokenAmount: event.tokenAmount + (beyond?.baseOut ?? 0n),
    quoteAmount: (isSol ? event.solAmount : event.quote!.amount) + quoteBeyond,
    quoteReserve: (isSol ? event.realSolReserves : event.quote!.realReserves) + quoteBeyond,
  }
}

/** What a creation's event says of the coin; its vault first holds all that were made. */
export function coinOf({ name, symbol, uri, totalSupply }: CreateEvent): Partial<CreationSide> {
  const made = totalSupply === null ? {} : { amount: totalSupply, supply: totalSupply }
  return { decimals: COIN_DECIMALS, name, symbol, uri, ...made }
}

/** The launchpad of a coin. */
export function launchpadOf(isMayhem: boolean): Launchpad {
  return isMayhem ? 'pump_mayhem' : 'pumpfun'
}

/** The mint of a coin's quote; null and the default address stand for SOL. */
export function quoteMintOf(key: Uint8Array | null): string {
  return key === null || isZeroKey(key) ? WRAPPED_SOL : addressOf(key)
}
