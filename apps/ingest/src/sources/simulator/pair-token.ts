import type { DecodedToken } from '@pairwire/decoders'
import type { Token } from './accounts.ts'
import type { TokenName } from './words.ts'

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
