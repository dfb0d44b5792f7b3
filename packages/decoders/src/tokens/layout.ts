import { ByteReader, readU64, TruncatedError } from '../bytes/byte-reader.ts'
import { bytesOfHex, holdsAt } from '../bytes/discriminator.ts'

/** SPL Token, the program of most mints. */
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
/** Token-2022, whose mints may charge a transfer fee. */
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
/** Metaplex Token Metadata. */
export const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'

/** Tags of the relevant instructions of the token program. */
export const TOKEN_TAGS = {
  initializeMint: 0,
  transfer: 3,
  setAuthority: 6,
  mintTo: 7,
  burn: 8,
  transferChecked: 12,
  mintToChecked: 14,
  burnChecked: 15,
  initializeMint2: 20,
  transferFeeExtension: 26,
  permissionedBurnExtension: 46,
  /** First bytes of the metadata interface's discriminators, which Token-2022 implements too. */
  initializeMetadata: 0xd2,
  updateMetadataField: 0xdd,
  batch: 255,
} as const

/** Tags of those that open a token account, which they name first, and that close it. */
export const OPENING_TAGS: readonly number[] = [1, 16, 18]
export const CLOSING_TAGS: readonly number[] = [9]

/** One call of a token program: its accounts' key indexes and its data. */
export type TokenCall = Readonly<{ accounts: Uint8Array; data: Uint8Array }>

/**
 * Returns the calls that a token instruction represents: itself, or those in a `Batch`, each as the number of its
 * accounts, the size of its data, and the data; the accounts follow one another.
 *
 * @throws TruncatedError when a batch ends inside a call or names more accounts than it has.
 * @see https://github.com/solana-program/token/blob/main/pinocchio/program/src/processor/batch.rs
 */
export function readTokenCalls(call: TokenCall): readonly TokenCall[] {
  const { accounts, data } = call
  if (data[0] !== TOKEN_TAGS.batch) return [call]
  const calls: TokenCall[] = []
  let account = 0
  for (let at = 1; at < data.length; ) {
    const accountCount = data[at]!
    const end = at + 2 + (data[at + 1] ?? Number.POSITIVE_INFINITY)
    if (end > data.length || account + accountCount > accounts.length) throw new TruncatedError()
    calls.push({
      accounts: accounts.subarray(account, account + accountCount),
      data: data.subarray(at + 2, end),
    })
    account += accountCount
    at = end
  }
  return calls
}

/**
 * Tokens that moved between accounts, were minted (`source` -1) or burned (`destination` -1). Indexes are those in the
 * instruction's list of accounts.
 */
type TokenMove = Readonly<{
  source: number
  destination: number
  amount: bigint
  /** Amount that a Token-2022 mint withheld from the receiver, if the instruction reports it. */
  fee: bigint
}>

/**
 * Reads what a token program's instruction moves; `undefined` when it moves nothing.
 *
 * @throws TruncatedError when the bytes end too early.
 * @see https://github.com/solana-program/token/blob/main/interface/src/instruction.rs
 * @see https://github.com/solana-program/token-2022/blob/main/interface/src/extension/transfer_fee/instruction.rs
 */
export function readTokenMove(data: Uint8Array): TokenMove | undefined {
  switch (data[0]) {
    case TOKEN_TAGS.transfer:
      return { source: 0, destination: 1, amount: amountAt(data, 1), fee: 0n }
    case TOKEN_TAGS.transferChecked:
      return { source: 0, destination: 2, amount: amountAt(data, 1), fee: 0n }
    case TOKEN_TAGS.mintTo:
    case TOKEN_TAGS.mintToChecked:
      return { source: -1, destination: 1, amount: amountAt(data, 1), fee: 0n }
    case TOKEN_TAGS.burn:
    case TOKEN_TAGS.burnChecked:
      return { source: 0, destination: -1, amount: amountAt(data, 1), fee: 0n }
    case TOKEN_TAGS.transferFeeExtension:
      // Of this extension's instructions, 1 is TransferCheckedWithFee: amount, decimals, fee.
      if (data[1] !== 1) return undefined
      return { source: 0, destination: 2, amount: amountAt(data, 2), fee: amountAt(data, 11) }
    default:
      return undefined
  }
}

/** The details of a mint in `InitializeMint` and `InitializeMint2`; its account comes first. */
type MintInitialized = Readonly<{
  decimals: number
  mintAuthority: Uint8Array
  freezeAuthority: Uint8Array | null
}>

/** @throws TruncatedError when the bytes end too early. `data` begins with the tag. */
export function readMintInitialized(data: Uint8Array): MintInitialized {
  const reader = new ByteReader(data, 1)
  return { decimals: reader.u8(), mintAuthority: reader.key(), freezeAuthority: readOptionalKey(reader) }
}

/** A new authority of a mint, whose account comes first; other authorities do not matter. */
type AuthoritySet = Readonly<{ of: 'mint' | 'freeze'; authority: Uint8Array | null }>

/** `undefined` for authorities other than those over minting and freezing. @throws TruncatedError */
export function readAuthoritySet(data: Uint8Array): AuthoritySet | undefined {
  const reader = new ByteReader(data, 1)
  const type = reader.u8()
  if (type > 1) return undefined
  return { of: type === 0 ? 'mint' : 'freeze', authority: readOptionalKey(reader) }
}

/** Name, symbol and description address of a token. */
export type TokenMetadata = Readonly<{ name: string; symbol: string; uri: string }>

/** First 8 bytes of sha256("spl_token_metadata_interface:initialize_account"). */
const INITIALIZE_METADATA = bytesOfHex('d2e11ea258b84d8d')
/** First 8 bytes of sha256("spl_token_metadata_interface:updating_field"). */
const UPDATE_FIELD = bytesOfHex('dde9312db5cadcc8')

/** The fields of the interface by number; further ones have their own names. */
const FIELDS = ['name', 'symbol', 'uri'] as const

/**
 * Reads metadata in a Token-2022 mint itself, or the one field of it that is set; the mint is account 0. `undefined`
 * for any other instruction.
 *
 * @see https://github.com/solana-program/token-metadata/blob/main/interface/src/instruction.rs
 */
export function readToken2022Metadata(data: Uint8Array): Partial<TokenMetadata> | undefined {
  if (holdsAt(data, INITIALIZE_METADATA, 0)) return readMetadata(new ByteReader(data, 8))
  if (!holdsAt(data, UPDATE_FIELD, 0)) return undefined
  const reader = new ByteReader(data, 8)
  const field = FIELDS[reader.u8()]
  return field === undefined ? undefined : { [field]: reader.string() }
}

/**
 * Raw units that Token-2022's `PermissionedBurn` (1) or its `BurnChecked` (2) burns of the mint, account 1;
 * `undefined` for any other instruction.
 *
 * @see https://github.com/solana-program/token-2022/tree/main/interface/src/extension/permissioned_burn
 */
export function readPermissionedBurn(data: Uint8Array): bigint | undefined {
  if (data[0] !== TOKEN_TAGS.permissionedBurnExtension) return undefined
  return data[1] === 1 || data[1] === 2 ? amountAt(data, 2) : undefined
}

/** A token's metadata for Metaplex's program: indexes among the accounts, null for the mint if it is not named. */
type MetaplexMetadata = Readonly<{
  mint: number | null
  metadataAccount: number
  metadata: TokenMetadata
}>

/** `CreateMetadataAccount` in its three versions, `Create`; `UpdateMetadataAccount` in its two, `Update`. */
export const METAPLEX_METADATA_TAGS: readonly number[] = [0, 16, 33, 42, 1, 15, 50]

/**
 * Reads the metadata that a Metaplex instruction of {@link METAPLEX_METADATA_TAGS} creates or replaces; `undefined` for
 * any other instruction.
 *
 * @see https://github.com/metaplex-foundation/mpl-token-metadata/blob/main/idls/token_metadata.json
 */
export function readMetaplexMetadata(data: Uint8Array): MetaplexMetadata | undefined {
  switch (data[0]) {
    case 0:
    case 16:
    case 33:
      return { mint: 1, metadataAccount: 0, metadata: readMetadata(new ByteReader(data, 1)) }
    case 42:
      return { mint: 2, metadataAccount: 0, metadata: readMetadata(new ByteReader(data, 2)) }
    case 1:
    case 15: {
      // The first of them no longer takes arguments.
      if (data.length === 1) return undefined
      const metadata = readOptionalMetadata(new ByteReader(data, 1))
      return metadata && { mint: null, metadataAccount: 0, metadata }
    }
    case 50: {
      const metadata = readUpdate(new ByteReader(data, 1))
      return metadata && { mint: 3, metadataAccount: 4, metadata }
    }
    default:
      return undefined
  }
}

/** `UpdateArgs`: kinds 0 and 1 are the update authority's, 4 and 6 those of its metadata delegates. */
function readUpdate(reader: ByteReader): TokenMetadata | undefined {
  switch (reader.u8()) {
    case 0:
    case 1:
      readOptionalKey(reader) // new update authority
      return readOptionalMetadata(reader)
    case 4:
    case 6:
      return readOptionalMetadata(reader)
    default:
      return undefined
  }
}

function readOptionalMetadata(reader: ByteReader): TokenMetadata | undefined {
  return reader.bool() ? readMetadata(reader) : undefined
}

/** Reads the three texts of a token, as Metaplex and Token-2022 write them. */
export function readMetadata(reader: ByteReader): TokenMetadata {
  return { name: reader.string(), symbol: reader.string(), uri: reader.string() }
}

function readOptionalKey(reader: ByteReader): Uint8Array | null {
  return reader.bool() ? reader.key() : null
}

function amountAt(data: Uint8Array, at: number): bigint {
  if (data.length < at + 8) throw new TruncatedError()
  return readU64(data, at)
}

/** The immutable parts of a mint's account. */
export type MintAccount = Readonly<{
  decimals: number
  /** Whether it may withhold part of each transfer, so that an account gets less than was sent. */
  hasTransferFee: boolean
}>

const MINT_BYTES = 82
/** Offset of a Token-2022 mint's extensions: after the space of a token account and a byte for the kind. */
export const EXTENSIONS_AT = 166
const TRANSFER_FEE_CONFIG = 1

/**
 * Reads the data of an account of a token program; `undefined` when it is no mint.
 *
 * @see https://github.com/solana-program/token-2022 (`Mint`, `ExtensionType`)
 */
export function readMintAccount(data: Uint8Array): MintAccount | undefined {
  if (data.length < MINT_BYTES || (data.length > MINT_BYTES && data[EXTENSIONS_AT - 1] !== 1))
    return undefined
  if (data[45] !== 1) return undefined // is_initialized
  let hasTransferFee = false
  for (let at = EXTENSIONS_AT; at + 4 <= data.length; at += 4 + (data[at + 2]! | (data[at + 3]! << 8))) {
    if ((data[at]! | (data[at + 1]! << 8)) === TRANSFER_FEE_CONFIG) hasTransferFee = true
  }
  return { decimals: data[44]!, hasTransferFee }
}
