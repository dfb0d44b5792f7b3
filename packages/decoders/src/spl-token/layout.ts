import { ByteReader, readU64, TruncatedError } from '../byte-reader.ts'
import { bytesOfHex, holdsAt } from '../discriminator.ts'

/** SPL Token, the program of most mints. */
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
/** Token-2022, whose mints may take a fee of every transfer. */
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
/** Metaplex Token Metadata. */
export const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'

/** Tags of the token program's instructions that matter here. */
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
  batch: 255,
} as const

/** One call of a token program: its accounts' key indexes and its bytes. */
export type TokenCall = Readonly<{ accounts: Uint8Array; data: Uint8Array }>

/**
 * The calls that a token instruction stands for: itself, or those that a `Batch` holds, each as the number of its
 * accounts, the number of its bytes, and the bytes; the accounts follow one another.
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
 * Tokens that moved between accounts, appeared (`source` -1) or ceased to be (`destination` -1). Positions are
 * those in the instruction's list of accounts.
 */
export type TokenMove = Readonly<{
  source: number
  destination: number
  amount: bigint
  /** What a Token-2022 mint withheld from the receiver, where the instruction itself says so. */
  fee: bigint
}>

/**
 * What a token program's instruction moves; `undefined` when it moves nothing.
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
      // Of this extension's own instructions, 1 is TransferCheckedWithFee: amount, decimals, fee.
      if (data[1] !== 1) return undefined
      return { source: 0, destination: 2, amount: amountAt(data, 2), fee: amountAt(data, 11) }
    default:
      return undefined
  }
}

/** What `InitializeMint` and `InitializeMint2` say of a mint; its account comes first. */
export type MintInitialized = Readonly<{
  decimals: number
  mintAuthority: Uint8Array
  freezeAuthority: Uint8Array | null
}>

/** @throws TruncatedError when the bytes end too early. `data` begins with the tag. */
export function readMintInitialized(data: Uint8Array): MintInitialized {
  const reader = new ByteReader(data, 1)
  return { decimals: reader.u8(), mintAuthority: reader.key(), freezeAuthority: readOptionalKey(reader) }
}

/** A new authority over a mint, whose account comes first; other authorities are none of ours. */
export type AuthoritySet = Readonly<{ of: 'mint' | 'freeze'; authority: Uint8Array | null }>

/** `undefined` for authorities other than those over minting and freezing. @throws TruncatedError */
export function readAuthoritySet(data: Uint8Array): AuthoritySet | undefined {
  const reader = new ByteReader(data, 1)
  const type = reader.u8()
  if (type > 1) return undefined
  return { of: type === 0 ? 'mint' : 'freeze', authority: readOptionalKey(reader) }
}

/** Name, symbol and address of the description of a token. */
export type TokenMetadata = Readonly<{ name: string; symbol: string; uri: string }>

/** First 8 bytes of sha256("spl_token_metadata_interface:initialize_account"). */
const TOKEN_2022_METADATA = bytesOfHex('d2e11ea258b84d8d')

/**
 * Metadata kept in a Token-2022 mint itself; the mint is account 2. `undefined` for any other instruction.
 *
 * @see https://github.com/solana-program/token-metadata/blob/main/interface/src/instruction.rs
 */
export function readToken2022Metadata(data: Uint8Array): TokenMetadata | undefined {
  return holdsAt(data, TOKEN_2022_METADATA, 0) ? readStrings(new ByteReader(data, 8)) : undefined
}

/**
 * Metadata that a Metaplex instruction creates, and where the mint stands among its accounts. `undefined` for
 * any other instruction. Tags: 0, 16, 33 `CreateMetadataAccount` in its three versions, 42 `Create`.
 *
 * @see https://github.com/metaplex-foundation/mpl-token-metadata/blob/main/idls/token_metadata.json
 */
export function readMetaplexMetadata(
  data: Uint8Array,
): Readonly<{ mint: number; metadata: TokenMetadata }> | undefined {
  switch (data[0]) {
    case 0:
    case 16:
    case 33:
      return { mint: 1, metadata: readStrings(new ByteReader(data, 1)) }
    case 42:
      return { mint: 2, metadata: readStrings(new ByteReader(data, 2)) }
    default:
      return undefined
  }
}

function readStrings(reader: ByteReader): TokenMetadata {
  return { name: reader.string(), symbol: reader.string(), uri: reader.string() }
}

function readOptionalKey(reader: ByteReader): Uint8Array | null {
  return reader.bool() ? reader.key() : null
}

function amountAt(data: Uint8Array, at: number): bigint {
  if (data.length < at + 8) throw new TruncatedError()
  return readU64(data, at)
}
