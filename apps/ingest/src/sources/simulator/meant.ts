import type { DecodedNewPair, DecodedSwap, DecodedToken } from '@pairwire/decoders'
import type { Token } from './accounts.ts'
import type { Order, Venue } from './venue.ts'
import type { TokenName } from './words.ts'

/** What a market means by a transaction: the events that decoding it has to give. */
export type Meant = DecodedSwap | DecodedNewPair

/** What a trade means beside what its venue and its order tell. */
type ToldSwap = Pick<
  DecodedSwap,
  | 'exchange'
  | 'launchpad'
  | 'ammAccount'
  | 'baseAmount'
  | 'quoteAmount'
  | 'quoteTokenLiquidity'
  | 'baseTokenLiquidity'
>

/** The swap that a trade means. */
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
    ...told,
  }
}

/** What a creation means beside its tokens. */
type ToldPair = Pick<DecodedNewPair, 'exchange' | 'launchpad' | 'ammAccount' | 'migration'> &
  Readonly<{ amounts: Readonly<{ base: bigint; quote: bigint }> }>

/** The new pair that a creation means. */
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
    ...told,
  }
}

/** What a transaction that makes a token tells of it. */
export function madeToken(token: Token, name: TokenName, supply: bigint): DecodedToken {
  return { ...knownToken(token), ...name, supply }
}

/** What a transaction tells of a token that was made before it: its decimals. */
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
