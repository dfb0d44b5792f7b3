import { encodeBase58 } from '@pairwire/contract'
import type { DecodedToken, TokenChange } from '@pairwire/decoders'
import { boundText, MAX_LINK_LENGTH } from '../bound-text.ts'
import { type ChainPoint, comparePoints, type Description, type KnownToken } from './known-token.ts'

// A token's details after new information.

/** A position, and its block time in Unix seconds if known. */
export type Moment = ChainPoint & Readonly<{ blockTime?: number }>

/** A token as in the chain's accounts. */
export type ChainToken = Omit<KnownToken, 'firstSlot' | 'firstSeen' | 'launchpad' | 'description' | 'asOf'>

/** The texts of a page besides its description. */
export type PageTexts = Readonly<{ name: string | null; symbol: string | null }>

/** A token of which only the creation is known. */
export function newToken(mint: string, decimals: number, at: Moment): KnownToken {
  return {
    mint,
    decimals,
    supply: 0n,
    name: null,
    symbol: null,
    uri: null,
    mintAuthority: null,
    freezeAuthority: null,
    metadataAccount: null,
    firstSlot: at.slot,
    firstSeen: at.blockTime ?? null,
    launchpad: null,
    description: null,
    asOf: pointOf(at),
  }
}

/** A new token, from its first pair; undefined if that tells too little. */
export function firstTold(token: DecodedToken, at: Moment, launchpad: string | null): KnownToken | undefined {
  const { mint, decimals, supply } = token
  if (decimals === null || supply === null) return undefined
  return bounded({ ...newToken(mint, decimals, at), ...token, decimals, supply, launchpad })
}

/** The same from its accounts. */
export function firstKept(token: ChainToken, at: Moment): KnownToken {
  return bounded({ ...newToken(token.mint, token.decimals, at), ...token })
}

/** Applies a transaction's change. */
export function withChange(token: KnownToken, change: TokenChange, at: ChainPoint): KnownToken {
  const { mintAuthority, freezeAuthority, metadata, metadataAccount } = change
  return bounded({
    ...token,
    supply: token.supply + change.supply,
    name: metadata.name ?? token.name,
    symbol: metadata.symbol ?? token.symbol,
    uri: metadata.uri ?? token.uri,
    description: metadata.uri === undefined || metadata.uri === token.uri ? token.description : null,
    mintAuthority:
      mintAuthority === undefined ? token.mintAuthority : mintAuthority && encodeBase58(mintAuthority),
    freezeAuthority:
      freezeAuthority === undefined
        ? token.freezeAuthority
        : freezeAuthority && encodeBase58(freezeAuthority),
    metadataAccount: metadataAccount === null ? token.metadataAccount : encodeBase58(metadataAccount),
    asOf: pointOf(at),
  })
}

/** Applies the details in one of its pairs. */
export function withPair(
  known: KnownToken,
  { name, symbol, uri }: DecodedToken,
  launchpad: string | null,
): KnownToken {
  return bounded({
    ...known,
    name: name ?? known.name,
    symbol: symbol ?? known.symbol,
    uri: uri ?? known.uri,
    launchpad: launchpad ?? known.launchpad,
    description: uri === null || uri === known.uri ? known.description : null,
  })
}

/** Applies its accounts, but keeps newer changes. */
export function withAccounts(known: KnownToken, token: ChainToken, at: Moment): KnownToken {
  const isNewer = comparePoints(at, known.asOf) > 0
  const uri = isNewer ? (token.uri ?? known.uri) : (known.uri ?? token.uri)
  return bounded({
    ...known,
    ...(isNewer ? { ...token, asOf: pointOf(at) } : {}),
    name: isNewer ? (token.name ?? known.name) : (known.name ?? token.name),
    symbol: isNewer ? (token.symbol ?? known.symbol) : (known.symbol ?? token.symbol),
    uri,
    metadataAccount: token.metadataAccount ?? known.metadataAccount,
    description: uri === known.uri ? known.description : null,
  })
}

/** Applies its page: name and symbol only if the chain has none. */
export function withPage(known: KnownToken, description: Description, texts?: PageTexts): KnownToken {
  const name = known.name || (texts?.name ?? known.name)
  const symbol = known.symbol || (texts?.symbol ?? known.symbol)
  return bounded({ ...known, name, symbol, description })
}

/** A single unit with no more to come: a picture or a position in a pool, which outnumber tokens. */
export function isOneOfAKind({ decimals, supply, mintAuthority }: KnownToken): boolean {
  return decimals === 0 && supply === 1n && mintAuthority === null
}

/** Limits strangers' texts to a length that can be kept. */
function bounded(token: KnownToken): KnownToken {
  const { name, symbol, uri } = token
  return {
    ...token,
    name: name && boundText(name),
    symbol: symbol && boundText(symbol),
    uri: uri !== null && uri.length > MAX_LINK_LENGTH ? null : uri,
  }
}

function pointOf({ run, slot, transactionIndex }: ChainPoint): ChainPoint {
  return { run, slot, transactionIndex }
}
