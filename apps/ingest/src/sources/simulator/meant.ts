import type { DecodedNewPair, DecodedSwap, DecodedToken } from '@pairwire/decoders'
import type { Token } from './accounts.ts'
import type { Order, Venue } from './venue.ts'
import type { TokenName } from './words.ts'

/** The events that a market's transaction must decode to. */
export type Meant = DecodedSwap | DecodedNewPair

/** The parts of a swap that its venue and order do not tell. */
type ToldSwap = Pick<
  DecodedSwap,
  | 'exchange'
  | 'launchpad'
  | 'ammAccount'
  | 'baseAmount'
  | 'quoteAmount'
  | 'quoteTokenLiquidity'
  | 'baseTokenLiquidity'
  | 'curve'
>

/** Makes the swap that a trade must decode to, but for the wallet's balance, which its whole transaction tells. */
export function meantSwap(
  { base, quote }: Venue,
  { walletAddress, side }: Order,
  told: ToldSwap,
): DecodedSwap {
  return {
    kind: 'swap',
    baseTokenMint: base.address,
    quoteTokenMint: quote.address,
    walletAccount: walletAddress,
    swapType: side,
    baseDecimals: base.decimals,
    quoteDecimals: quote.decimals,
    walletBalance: null,
    ...told,
  }
}

/** The parts of a new pair besides its tokens; without a creator it is who pays for the transaction. */
type ToldPair = Pick<DecodedNewPair, 'exchange' | 'launchpad' | 'ammAccount' | 'migration'> &
  Partial<Pick<DecodedNewPair, 'creator' | 'curve'>> &
  Readonly<{ amounts: Readonly<{ base: bigint; quote: bigint }> }>

/** Makes the new pair that a creation must decode to. */
export function meantPair(
  baseToken: DecodedToken,
  quote: Token,
  { amounts, ...told }: ToldPair,
): DecodedNewPair {
  return {
    kind: 'newPair',
    baseToken,
    quoteToken: knownToken(quote),
    baseTokenLiquidityAdded: amounts.base,
    quoteTokenLiquidityAdded: amounts.quote,
    creator: null,
    curve: null,
    ...told,
  }
}

/** The details of a token in the transaction that creates it. */
export function madeToken(token: Token, name: TokenName, supply: bigint): DecodedToken {
  return { ...knownToken(token), ...name, supply }
}

/** The details of an older token in a transaction: its decimals. */
export function knownToken(token: Token): DecodedToken {
  return {
    mint: token.address,
    decimals: token.decimals,
    supply: null,
    name: null,
    symbol: null,
    uri: null,
    mintAuthority: null,
    freezeAuthority: null,
  }
}
