import { type NewPair, type PairToken, type Swap, type TokenInfo, WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedNewPair, DecodedSwap, DecodedToken } from '@pairwire/decoders'
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
