import type { Socials } from '@pairwire/contract'
import type { DecodedToken } from '@pairwire/decoders'
import type { LogRecord } from './record-line.ts'

/**
 * What is known of a token, as it stood after the transaction `asOf`: of one whose mint was seen being made by its
 * transactions, of others by the chain's own accounts.
 */
export type KnownToken = DecodedToken &
  Readonly<{
    decimals: number
    supply: bigint
    /** Base58 of Metaplex's account that keeps the metadata; null where there is none or it is not known. */
    metadataAccount: string | null
    /** Slot in which it was first seen. */
    firstSlot: number
    /** The block time of that slot, Unix seconds; null where it is not known. */
    firstSeen: number | null
    /** The launchpad on which it was made; null where it is not known. */
    launchpad: string | null
    /** What the page at `uri` tells; null while it has not been read. */
    description: Description | null
    asOf: ChainPoint
  }>

/** What the page tells that a token's metadata names. */
export type Description = Readonly<{ logo: string | null; socials: Socials | null }>

/** Where a transaction stands among all that were handed to ingest. */
export type ChainPoint = Readonly<{ run: number; slot: number; transactionIndex: number }>

/** Below zero, zero or above it when the first stands before, at or behind the second. */
export function comparePoints(first: ChainPoint, second: ChainPoint): number {
  return (
    first.run - second.run || first.slot - second.slot || first.transactionIndex - second.transactionIndex
  )
}

/** A token as a record: who it is about in the key, so that nothing need be parsed to know that, the rest as JSON. */
export function writeToken(token: KnownToken): LogRecord {
  const { run, slot, transactionIndex } = token.asOf
  const rest: StoredToken = [
    token.decimals,
    String(token.supply),
    token.name,
    token.symbol,
    token.uri,
    token.mintAuthority,
    token.freezeAuthority,
    token.firstSlot,
    run,
    slot,
    transactionIndex,
    token.firstSeen,
    token.launchpad,
    token.description && storeDescription(token.description),
  ]
  return { key: `${token.mint} ${token.metadataAccount ?? NO_ACCOUNT}`, body: JSON.stringify(rest) }
}

/** The record that a token is no longer known. */
export function writeForgotten(mint: string): LogRecord {
  return { key: mint, body: '' }
}

/** Who a record is about. */
export type TokenKey = Readonly<{ mint: string; metadataAccount: string | null; isForgotten: boolean }>

/** Reads a record's key. */
export function readTokenKey(key: string): TokenKey {
  const space = key.indexOf(' ')
  if (space === -1) return { mint: key, metadataAccount: null, isForgotten: true }
  const account = key.slice(space + 1)
  return {
    mint: key.slice(0, space),
    metadataAccount: account === NO_ACCOUNT ? null : account,
    isForgotten: false,
  }
}

/** The token of a record; `undefined` for one that says that the token is not known. */
export function readToken({ key, body }: LogRecord): KnownToken | undefined {
  const { mint, metadataAccount, isForgotten } = readTokenKey(key)
  if (isForgotten) return undefined
  // The record's checksum says that it is what `writeToken` wrote, and the head of its file by which version.
  const stored = JSON.parse(body) as StoredToken
  const [decimals, supply, name, symbol, uri, mintAuthority, freezeAuthority, firstSlot, ...rest] = stored
  const [run, slot, transactionIndex, firstSeen = null, launchpad = null, description = null] = rest
  return {
    mint,
    decimals,
    supply: BigInt(supply),
    name,
    symbol,
    uri,
    mintAuthority,
    freezeAuthority,
    metadataAccount,
    firstSlot,
    firstSeen,
    launchpad,
    description: description && descriptionOf(description),
    asOf: { run, slot, transactionIndex },
  }
}

const NO_ACCOUNT = '-'

type StoredToken = [
  decimals: number,
  supply: string,
  name: string | null,
  symbol: string | null,
  uri: string | null,
  mintAuthority: string | null,
  freezeAuthority: string | null,
  firstSlot: number,
  run: number,
  slot: number,
  transactionIndex: number,
  // Records of before these were kept end here.
  firstSeen?: number | null,
  launchpad?: string | null,
  description?: StoredDescription | null,
]

type StoredDescription = [
  logo: string | null,
  website?: string | null,
  x?: string | null,
  telegram?: string | null,
]

function storeDescription({ logo, socials }: Description): StoredDescription {
  return socials === null ? [logo] : [logo, socials.website, socials.x, socials.telegram]
}

function descriptionOf([logo, website, x, telegram]: StoredDescription): Description {
  if (website === undefined) return { logo, socials: null }
  return { logo, socials: { website, x: x ?? null, telegram: telegram ?? null } }
}
