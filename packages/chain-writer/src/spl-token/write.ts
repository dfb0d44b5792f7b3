import { decodeBase58 } from '@pairwire/contract/base58'
import { ByteWriter } from '../byte-writer.ts'
import type { Call } from '../write-transaction.ts'

/** Returns the bytes of an address in the code. */
export function key(address: string): Uint8Array {
  const bytes = decodeBase58(address)
  if (bytes?.length !== 32) throw new Error(`${address} is no address`)
  return bytes
}

/** The programs that all others call. */
export const TOKEN_PROGRAM = key('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
export const TOKEN_2022_PROGRAM = key('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
/** These and other frequently used programs, by their names in lists of accounts. */
export const PROGRAMS = {
  token: TOKEN_PROGRAM,
  token2022: TOKEN_2022_PROGRAM,
  /** Its address is also the default one, which means nobody. */
  system: key('11111111111111111111111111111111'),
  ata: key('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'),
  metadataProgram: key('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'),
  rent: key('SysvarRent111111111111111111111111111111111'),
}

/** A mint with the details for a checked transfer. */
export type WrittenMint = Readonly<{ key: Uint8Array; decimals: number; tokenProgram: Uint8Array }>

/** Returns the accounts of a pool or curve by name, including its mints and their programs. */
export function namesOf<Pair extends Readonly<{ base: WrittenMint; quote: WrittenMint }>>(pair: Pair) {
  const { base, quote } = pair
  const programs = { baseProgram: base.tokenProgram, quoteProgram: quote.tokenProgram }
  return { ...pair, baseMint: base.key, quoteMint: quote.key, ...programs }
}

/** A token transfer's accounts: source, destination and authority. */
type Leg = Readonly<{
  tokenProgram: Uint8Array
  from: Uint8Array
  to: Uint8Array
  authority: Uint8Array
  amount: bigint
}>

/** Makes a call that logs its name. */
function logged(name: string, program: Uint8Array, accounts: Uint8Array[], data: Uint8Array): Call {
  return { program, accounts, data, steps: [`log: Instruction: ${name}`] }
}

/** `Transfer`, tag 3. @see https://github.com/solana-program/token/blob/main/interface/src/instruction.rs */
export function writeTransfer(leg: Leg): Call {
  return logged(
    'Transfer',
    leg.tokenProgram,
    [leg.from, leg.to, leg.authority],
    new ByteWriter(9).u8(3).u64(leg.amount).finish(),
  )
}

/** `TransferChecked`, tag 12, with the mint and its decimals. */
export function writeTransferChecked(leg: Leg & Readonly<{ mint: Uint8Array; decimals: number }>): Call {
  return logged(
    'TransferChecked',
    leg.tokenProgram,
    [leg.from, leg.mint, leg.to, leg.authority],
    new ByteWriter(10).u8(12).u64(leg.amount).u8(leg.decimals).finish(),
  )
}

/** Does the same for a mint: `authority` sends `amount` from one account to the other. */
export function writeLeg(
  { key: mint, decimals, tokenProgram }: WrittenMint,
  from: Uint8Array,
  to: Uint8Array,
  authority: Uint8Array,
  amount: bigint,
): Call {
  return writeTransferChecked({ tokenProgram, mint, decimals, from, to, authority, amount })
}

/** `InitializeMint2`, tag 20, without a freeze authority. */
export function writeInitializeMint(
  tokenProgram: Uint8Array,
  mint: Uint8Array,
  decimals: number,
  authority: Uint8Array,
): Call {
  return logged(
    'InitializeMint2',
    tokenProgram,
    [mint],
    new ByteWriter(35).u8(20).u8(decimals).bytes(authority).u8(0).finish(),
  )
}

/** `MintTo`, tag 7. */
export function writeMintTo(
  tokenProgram: Uint8Array,
  mint: Uint8Array,
  to: Uint8Array,
  authority: Uint8Array,
  amount: bigint,
): Call {
  return logged('MintTo', tokenProgram, [mint, to, authority], new ByteWriter(9).u8(7).u64(amount).finish())
}

/** `SetAuthority`, tag 6, that gives up the mint authority for good. */
export function writeRevokeMintAuthority(
  tokenProgram: Uint8Array,
  mint: Uint8Array,
  authority: Uint8Array,
): Call {
  return logged('SetAuthority', tokenProgram, [mint, authority], Uint8Array.of(6, 0, 0))
}

/** The system program's `Transfer` of lamports, tag 2. */
export function writeLamportTransfer(from: Uint8Array, to: Uint8Array, lamports: bigint): Call {
  const data = new ByteWriter(12).u32(2).u64(lamports).finish()
  return { program: PROGRAMS.system, accounts: [from, to], data }
}

/** The system program's `CreateAccount`, tag 0. */
export function writeCreateAccount(
  payer: Uint8Array,
  account: Uint8Array,
  lamports: bigint,
  space: bigint,
  owner: Uint8Array,
): Call {
  const data = new ByteWriter(52).u32(0).u64(lamports, space).bytes(owner).finish()
  return { program: PROGRAMS.system, accounts: [payer, account], data }
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
  const { metadata, mint, mintAuthority, payer, name, symbol, uri } = fields
  return {
    program: PROGRAMS.metadataProgram,
    accounts: [metadata, mint, mintAuthority, payer, mintAuthority, PROGRAMS.system],
    data: new ByteWriter(160)
      .u8(33)
      .string(name, symbol, uri)
      .zeros(2 + 5) // seller fee; creators, collection, uses, whether mutable, collection details
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
  const data = new ByteWriter(160).bytes(INITIALIZE_METADATA).string(name, symbol, uri).finish()
  return { program: TOKEN_2022_PROGRAM, accounts: [mint, authority, mint, authority], data }
}

/** First 8 bytes of sha256("spl_token_metadata_interface:initialize_account"). */
const INITIALIZE_METADATA = Uint8Array.of(0xd2, 0xe1, 0x1e, 0xa2, 0x58, 0xb8, 0x4d, 0x8d)
