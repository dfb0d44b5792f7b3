import { decodeBase58 } from '@pairwire/contract/base58'
import { ByteWriter } from '../byte-writer.ts'
import type { Call } from '../write-transaction.ts'

/** Bytes of an address that the code itself names. */
export function key(address: string): Uint8Array {
  const bytes = decodeBase58(address)
  if (bytes?.length !== 32) throw new Error(`${address} is no address`)
  return bytes
}

/** The programs that every other one calls. */
export const SYSTEM_PROGRAM = key('11111111111111111111111111111111')
export const TOKEN_PROGRAM = key('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
export const TOKEN_2022_PROGRAM = key('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
export const ASSOCIATED_TOKEN_PROGRAM = key('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
export const METADATA_PROGRAM = key('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s')
export const RENT = key('SysvarRent111111111111111111111111111111111')

/** A mint with what a checked transfer names of it. */
export type WrittenMint = Readonly<{ key: Uint8Array; decimals: number; tokenProgram: Uint8Array }>

/** A token transfer's accounts: from, to, and who allows it. */
type Leg = Readonly<{
  tokenProgram: Uint8Array
  from: Uint8Array
  to: Uint8Array
  authority: Uint8Array
  amount: bigint
}>

/** `Transfer`, tag 3. @see https://github.com/solana-program/token/blob/main/interface/src/instruction.rs */
export function writeTransfer(leg: Leg): Call {
  return {
    program: leg.tokenProgram,
    accounts: [leg.from, leg.to, leg.authority],
    data: new ByteWriter(9).u8(3).u64(leg.amount).finish(),
    steps: ['log: Instruction: Transfer'],
  }
}

/** `TransferChecked`, tag 12, which names the mint and its decimals. */
export function writeTransferChecked(leg: Leg & Readonly<{ mint: Uint8Array; decimals: number }>): Call {
  return {
    program: leg.tokenProgram,
    accounts: [leg.from, leg.mint, leg.to, leg.authority],
    data: new ByteWriter(10).u8(12).u64(leg.amount).u8(leg.decimals).finish(),
    steps: ['log: Instruction: TransferChecked'],
  }
}

/** `InitializeMint2`, tag 20, without a freeze authority. */
export function writeInitializeMint(
  tokenProgram: Uint8Array,
  mint: Uint8Array,
  decimals: number,
  authority: Uint8Array,
): Call {
  return {
    program: tokenProgram,
    accounts: [mint],
    data: new ByteWriter(35).u8(20).u8(decimals).bytes(authority).u8(0).finish(),
    steps: ['log: Instruction: InitializeMint2'],
  }
}

/** `MintTo`, tag 7. */
export function writeMintTo(
  tokenProgram: Uint8Array,
  mint: Uint8Array,
  to: Uint8Array,
  authority: Uint8Array,
  amount: bigint,
): Call {
  return {
    program: tokenProgram,
    accounts: [mint, to, authority],
    data: new ByteWriter(9).u8(7).u64(amount).finish(),
    steps: ['log: Instruction: MintTo'],
  }
}

/** `SetAuthority`, tag 6, that gives the mint authority away for good. */
export function writeRevokeMintAuthority(
  tokenProgram: Uint8Array,
  mint: Uint8Array,
  authority: Uint8Array,
): Call {
  return {
    program: tokenProgram,
    accounts: [mint, authority],
    data: Uint8Array.of(6, 0, 0),
    steps: ['log: Instruction: SetAuthority'],
  }
}

/** The system program's `Transfer` of lamports, tag 2. */
export function writeLamportTransfer(from: Uint8Array, to: Uint8Array, lamports: bigint): Call {
  return {
    program: SYSTEM_PROGRAM,
    accounts: [from, to],
    data: new ByteWriter(12).u32(2).u64(lamports).finish(),
  }
}

/** The system program's `CreateAccount`, tag 0. */
export function writeCreateAccount(
  payer: Uint8Array,
  account: Uint8Array,
  lamports: bigint,
  space: bigint,
  owner: Uint8Array,
): Call {
  return {
    program: SYSTEM_PROGRAM,
    accounts: [payer, account],
    data: new ByteWriter(52).u32(0).u64(lamports).u64(space).bytes(owner).finish(),
  }
}

/** Metaplex's `CreateMetadataAccountV3`, tag 33, of a fungible token. */
export function writeCreateMetadata(fields: {
  metadata: Uint8Array
  mint: Uint8Array
  mintAuthority: Uint8Array
  payer: Uint8Array
  name: string
  symbol: string
  uri: string
}): Call {
  return {
    program: METADATA_PROGRAM,
    accounts: [
      fields.metadata,
      fields.mint,
      fields.mintAuthority,
      fields.payer,
      fields.mintAuthority,
      SYSTEM_PROGRAM,
    ],
    data: new ByteWriter(160)
      .u8(33)
      .string(fields.name)
      .string(fields.symbol)
      .string(fields.uri)
      .u16(0) // seller fee
      .u8(0) // creators
      .u8(0) // collection
      .u8(0) // uses
      .bool(false) // mutable
      .u8(0) // collection details
      .finish(),
    steps: ['log: IX: Create Metadata Accounts v3'],
  }
}

/** Token-2022's metadata `Initialize`, which writes into the mint's own extension. */
export function writeInitializeTokenMetadata(
  mint: Uint8Array,
  authority: Uint8Array,
  name: string,
  symbol: string,
  uri: string,
): Call {
  return {
    program: TOKEN_2022_PROGRAM,
    accounts: [mint, authority, mint, authority],
    data: new ByteWriter(160).bytes(INITIALIZE_METADATA).string(name).string(symbol).string(uri).finish(),
  }
}

/** First 8 bytes of sha256("spl_token_metadata_interface:initialize_account"). */
const INITIALIZE_METADATA = Uint8Array.of(0xd2, 0xe1, 0x1e, 0xa2, 0x58, 0xb8, 0x4d, 0x8d)
