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

/** The stream's form of a swap. `usdValue` null when unknown. */
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

/** A token with what its pair's transaction tells of it, or with all that is known. */
type Token = DecodedToken | KnownToken

/** The stream's form of a new pair. */
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

/** The stream's form of a pair's token. */
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
 * What the events of a transaction are made of as far as its bytes alone tell: made as it comes, so that at the end of
 * its slot little is left to do for all of them at once.
 */
export type Prepared = Readonly<{
  /** In base58; empty where nothing happened. */
  signature: string
  /** For each of its events, where that is a swap. Its value in US dollars is left out. */
  swaps: readonly (Swap | undefined)[]
}>

/** Prepares what was decoded of a transaction. */
export function prepare({ events }: Pick<Decoded, 'events'>, signature: Uint8Array): Prepared {
  if (events.length === 0) return NOTHING
  return {
    signature: encodeBase58(signature),
    swaps: events.map((event) => (event.kind === 'swap' ? swapOf(event, null) : undefined)),
  }
}

const NOTHING: Prepared = { signature: '', swaps: [] }
