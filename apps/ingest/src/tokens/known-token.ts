import type { Socials } from '@pairwire/contract'
import type { DecodedToken } from '@pairwire/decoders'
import type { LogRecord } from './record-line.ts'

/**
 * The known details of a token after the transaction `asOf`: from its transactions if the creation of its mint was
 * seen, otherwise from the chain's own accounts.
 */
export type KnownToken = DecodedToken &
  Readonly<{
    decimals: number
    supply: bigint
    /** Base58 of Metaplex's account with the metadata; null if there is none or it is unknown. */
    metadataAccount: string | null
    /** Slot in which it was first seen. */
    firstSlot: number
    /** The block time of that slot, Unix seconds; null if unknown. */
    firstSeen: number | null
    /** The launchpad that created it; null if unknown. */
    launchpad: string | null
    /** The contents of the page at `uri`; null until it is read. */
    description: Description | null
    asOf: ChainPoint
  }>

/** The contents of the page that a token's metadata names. */
export type Description = Readonly<{ logo: string | null; socials: Socials | null }>

/** A transaction's position among all that ingest received. */
export type ChainPoint = Readonly<{ run: number; slot: number; transactionIndex: number }>

/** Negative, zero or positive if the first is before, at or after the second. */
export function comparePoints(first: ChainPoint, second: ChainPoint): number {
  return (
    first.run - second.run || first.slot - second.slot || first.transactionIndex - second.transactionIndex
  )
}

/** Writes a token as a record: its identity in the key, so that it can be read without parsing, the rest as JSON. */
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

/** Writes the record that a token is no longer known. */
export function writeForgotten(mint: string): LogRecord {
  return { key: mint, body: '' }
}

/** The identity in a record. */
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

/** Reads the token of a record; `undefined` if the record marks it as unknown. */
export function readToken({ key, body }: LogRecord): KnownToken | undefined {
  const { mint, metadataAccount, isForgotten } = readTokenKey(key)
  if (isForgotten) return undefined
  // The record's checksum proves that `writeToken` wrote it, and the file's head in which version.
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
  // Records from before these fields end here.
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
