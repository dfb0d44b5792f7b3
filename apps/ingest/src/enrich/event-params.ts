import { type NewPair, type PairToken, type Swap, type TokenInfo, WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedNewPair, DecodedSwap, DecodedToken } from '@pairwire/decoders'
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
        : { name: bound(name), symbol: bound(symbol), logo: null, socials: null },
    mintAuthority: token.mintAuthority,
    freezeAuthority: token.freezeAuthority,
  }
}

/** Characters of a name or symbol that are handed on: far more than Metaplex's 32 and 10, far less than a frame. */
const MAX_TEXT_LENGTH = 256

/** A stranger's text as it stands, cut where it is absurdly long, never inside a character. */
function bound(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text
  const last = text.charCodeAt(MAX_TEXT_LENGTH - 1)
  const isHalf = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, isHalf ? MAX_TEXT_LENGTH - 1 : MAX_TEXT_LENGTH)
}
