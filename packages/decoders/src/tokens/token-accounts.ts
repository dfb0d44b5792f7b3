import { encodeBase58 } from '@pairwire/contract/base58'
import { ByteReader, readU32, readU64, TruncatedError } from '../bytes/byte-reader.ts'
import { isSameKey, isZeroKey, keyOf } from '../bytes/key-table.ts'
import { programAddress } from '../bytes/program-address.ts'
import {
  EXTENSIONS_AT,
  METADATA_PROGRAM,
  readMetadata,
  readMintAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenMetadata,
} from './layout.ts'

/** The current state of a token in its mint's account. Authorities are base58, null for none. */
export type MintState = Readonly<{
  decimals: number
  supply: bigint
  mintAuthority: string | null
  freezeAuthority: string | null
  /** Stored in the mint itself, as Token-2022 allows; null if not. */
  metadata: TokenMetadata | null
  /** Base58 of the account with the metadata otherwise: the one that the mint names, or Metaplex's derived one. */
  metadataAccount: string | null
}>

/** Numbers of Token-2022's mint extensions. */
const METADATA_POINTER = 18
const TOKEN_METADATA = 19

/**
 * Reads an account that `owner` (base58) owns as the mint `mint`; `undefined` when it is none. The first bytes are
 * enough of extensions, which strangers can make megabytes long; truncated ones are unknown.
 *
 * @throws TruncatedError when the bytes end within the mint itself.
 * @see https://github.com/solana-program/token-2022/tree/main/interface/src/extension (`MetadataPointer`)
 * @see https://github.com/solana-program/token-metadata/blob/main/interface/src/state.rs
 */
export function readMintState(mint: Uint8Array, owner: string, data: Uint8Array): MintState | undefined {
  if (owner !== TOKEN_PROGRAM && owner !== TOKEN_2022_PROGRAM) return undefined
  const account = readMintAccount(data)
  if (account === undefined) return undefined
  const { metadata, pointer } = readExtensions(mint, data)
  return {
    decimals: account.decimals,
    supply: readU64(data, 36),
    mintAuthority: readAuthority(data, 0),
    freezeAuthority: readAuthority(data, 46),
    metadata,
    metadataAccount: metadata === null ? encodeBase58(pointer ?? metaplexAccountOf(mint)) : null,
  }
}

/** Metaplex's metadata of a token. */
export type MetadataState = Readonly<{ mint: string; metadata: TokenMetadata }>

/** First byte of Metaplex's accounts of this kind: `Key::MetadataV1`. */
const METADATA_V1 = 4

/**
 * Reads an account that `owner` (base58) owns as Metaplex's metadata; `undefined` when it is none. The caller must
 * check that its mint is the right one: anyone can name any account.
 *
 * @throws TruncatedError when the bytes end too early.
 * @see https://github.com/metaplex-foundation/mpl-token-metadata/blob/main/idls/token_metadata.json (`Metadata`)
 */
export function readMetadataState(owner: string, data: Uint8Array): MetadataState | undefined {
  if (owner !== METADATA_PROGRAM || data[0] !== METADATA_V1) return undefined
  const reader = new ByteReader(data, 1)
  reader.skip(32) // update authority
  return { mint: encodeBase58(reader.key()), metadata: readMetadata(reader) }
}

/** Returns the account of a mint's metadata at Metaplex. */
export function metaplexAccountOf(mint: Uint8Array): Uint8Array {
  return programAddress([METADATA_SEED, keyOf(METADATA_PROGRAM), mint], METADATA_PROGRAM)
}

const METADATA_SEED = new TextEncoder().encode('metadata')

function readExtensions(mint: Uint8Array, data: Uint8Array) {
  let metadata: TokenMetadata | null = null
  let pointer: Uint8Array | null = null
  for (let at = EXTENSIONS_AT; at + 4 <= data.length; ) {
    const reader = new ByteReader(data, at)
    const kind = reader.u16()
    const end = at + 4 + reader.u16()
    if (kind === METADATA_POINTER) pointer = data.subarray(at + 4 + 32, at + 4 + 64)
    if (kind === TOKEN_METADATA) metadata = readOwnMetadata(mint, data.subarray(at + 4, end))
    at = end
  }
  const isElsewhere = pointer?.length === 32 && !isZeroKey(pointer) && !isSameKey(pointer, mint)
  return { metadata, pointer: isElsewhere ? pointer : null }
}

function readOwnMetadata(mint: Uint8Array, data: Uint8Array): TokenMetadata | null {
  const reader = new ByteReader(data)
  try {
    reader.skip(32) // update authority
    return isSameKey(reader.key(), mint) ? readMetadata(reader) : null
  } catch (error) {
    if (error instanceof TruncatedError) return null
    throw error
  }
}

/** Reads an optional key with a four-byte flag in front. */
function readAuthority(data: Uint8Array, at: number): string | null {
  return readU32(data, at) === 1 ? encodeBase58(data.subarray(at + 4, at + 36)) : null
}
