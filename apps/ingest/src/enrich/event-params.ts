import {
  encodeBase58,
  type NewPair,
  type PairToken,
  type Swap,
  type TokenInfo,
  WRAPPED_SOL,
} from '@pairwire/contract'
import type { Decoded, DecodedNewPair, DecodedSwap, DecodedToken } from '@pairwire/decoders'
import { boundText } from '../bound-text.ts'
import type { KnownToken } from '../tokens/known-token.ts'
import { quotePrice } from './quote-price.ts'

/** Makes the stream's form of a swap. `usdValue` is null when unknown. */
export function swapOf(decoded: DecodedSwap, usdValue: number | null): Swap {
  return {
    sourceExchange: decoded.exchange,
    launchpad: decoded.launchpad,
    ammAccount: decoded.ammAccount,
    baseTokenMint: decoded.baseTokenMint,
    quoteTokenMint: decoded.quoteTokenMint,
    walletAccount: decoded.walletAccount,
    quotePrice: quotePrice(decoded),
    usdValue,
    baseAmount: String(decoded.baseAmount),
    quoteAmount: String(decoded.quoteAmount),
    swapType: decoded.swapType,
    quoteTokenLiquidity: decoded.quoteTokenLiquidity === null ? '' : String(decoded.quoteTokenLiquidity),
  }
}

/** A token with the details of its pair's transaction, or with everything known. */
export type Token = DecodedToken | KnownToken

/** Makes the stream's form of a new pair. */
export function newPairOf(
  decoded: DecodedNewPair & Readonly<{ baseToken: Token; quoteToken: Token }>,
): NewPair {
  return {
    sourceExchange: decoded.exchange,
    launchpad: decoded.launchpad,
    ammAccount: decoded.ammAccount,
    baseToken: tokenOf(decoded.baseToken),
    quoteToken: tokenOf(decoded.quoteToken),
    baseTokenLiquidityAdded: String(decoded.baseTokenLiquidityAdded),
    quoteTokenLiquidityAdded: String(decoded.quoteTokenLiquidityAdded),
    migration: decoded.migration,
  }
}

/** Makes the stream's form of a pair's token. */
export function tokenOf(token: Token): PairToken {
  return { account: token.mint, info: infoOf(token) }
}

function infoOf(token: Token): TokenInfo | null {
  const { mint, decimals, supply, name, symbol } = token
  if (mint === WRAPPED_SOL || decimals === null || supply === null) return null
  const { logo = null, socials = null } = ('description' in token && token.description) || {}
  return {
    decimals,
    supply: String(supply),
    metadata:
      name === null || symbol === null
        ? null
        : { name: boundText(name), symbol: boundText(symbol), logo, socials },
    mintAuthority: token.mintAuthority,
    freezeAuthority: token.freezeAuthority,
  }
}

/**
 * The parts of a transaction's events that depend only on its bytes: made when it arrives, so that little is left to do
 * at the end of its slot.
 */
export type Prepared = Readonly<{
  /** In base58; empty if it has no events. */
  signature: string
  /** One per event, if it is a swap. Without its value in US dollars. */
  swaps: readonly (Swap | undefined)[]
}>

/** Prepares a decoded transaction. */
export function prepare({ events }: Pick<Decoded, 'events'>, signature: Uint8Array): Prepared {
  if (events.length === 0) return NOTHING
  return {
    signature: encodeBase58(signature),
    swaps: events.map((event) => (event.kind === 'swap' ? swapOf(event, null) : undefined)),
  }
}

const NOTHING: Prepared = { signature: '', swaps: [] }
