import { type NewPair, type PairToken, type Swap, type TokenInfo, WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedNewPair, DecodedSwap, DecodedToken } from '@pairwire/decoders'
import { boundText } from '../bound-text.ts'
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

/** The stream's form of a new pair. */
export function newPairOf(decoded: DecodedNewPair): NewPair {
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

function tokenOf(token: DecodedToken): PairToken {
  return { account: token.mint, info: infoOf(token) }
}

function infoOf(token: DecodedToken): TokenInfo | null {
  const { mint, decimals, supply, name, symbol } = token
  if (mint === WRAPPED_SOL || decimals === null || supply === null) return null
  return {
    decimals,
    supply: String(supply),
    metadata:
      name === null || symbol === null
        ? null
        : { name: boundText(name), symbol: boundText(symbol), logo: null, socials: null },
    mintAuthority: token.mintAuthority,
    freezeAuthority: token.freezeAuthority,
  }
}
