import { ByteWriter } from '../byte-writer.ts'

/** Data of a mint's account, of Token-2022 with its transfer fee where it has one. */
export function writeMintAccount(decimals: number, hasTransferFee = false): Uint8Array {
  const mint = new ByteWriter().bytes(new Uint8Array(44)).u8(decimals).bool(true).bytes(new Uint8Array(36))
  if (!hasTransferFee) return mint.finish()
  // Padded to the room of a token account; then the kind of account (mint) and one extension (TransferFeeConfig).
  return mint.bytes(new Uint8Array(83)).u8(1).u16(1).u16(108).bytes(new Uint8Array(108)).finish()
}

/** Data of a PumpSwap pool's account, as far as its mints. */
export function writePumpswapPool(baseMint: Uint8Array, quoteMint: Uint8Array): Uint8Array {
  const discriminator = Buffer.from('f19a6d0411b16dbc', 'hex')
  return new ByteWriter()
    .bytes(discriminator)
    .bytes(new Uint8Array(1 + 2 + 32))
    .bytes(baseMint)
    .bytes(quoteMint)
    .finish()
}

/** Data of the account of a pool of Raydium's CLMM, as far as its mints. */
export function writeClmmPool(mint0: Uint8Array, mint1: Uint8Array): Uint8Array {
  const discriminator = Buffer.from('f7ede3f5d7c3de46', 'hex')
  return new ByteWriter()
    .bytes(discriminator)
    .bytes(new Uint8Array(1 + 32 + 32))
    .bytes(mint0)
    .bytes(mint1)
    .finish()
}

/** What {@link writeMintState} writes. Authorities are keys, null for none. */
export type MintFields = Readonly<{
  mint: Uint8Array
  decimals: number
  supply: bigint
  mintAuthority?: Uint8Array | null
  freezeAuthority?: Uint8Array | null
  /** Token-2022's pointer to the account of its metadata. */
  pointer?: Uint8Array
  /** Kept in the mint itself. */
  metadata?: MetadataFields
}>

/** What a token calls itself. */
export type MetadataFields = Readonly<{ name: string; symbol: string; uri: string }>

/** Data of a mint's account as it stands, with Token-2022's extensions where it has a pointer or metadata. */
export function writeMintState(fields: MintFields): Uint8Array {
  const { mint, decimals, supply, mintAuthority, freezeAuthority, pointer, metadata } = fields
  const account = new ByteWriter()
  const authority = (key: Uint8Array | null | undefined) =>
    account.u32(key ? 1 : 0).bytes(key ?? new Uint8Array(32))
  authority(mintAuthority)
  account.u64(supply).u8(decimals).bool(true)
  authority(freezeAuthority)
  if (!pointer && !metadata) return account.finish()

  account.bytes(new Uint8Array(83)).u8(1)
  if (pointer) account.u16(18).u16(64).bytes(new Uint8Array(32)).bytes(pointer)
  if (metadata) {
    const { name, symbol, uri } = metadata
    const body = new ByteWriter()
      .bytes(new Uint8Array(32))
      .bytes(mint)
      .string(name)
      .string(symbol)
      .string(uri)
    const bytes = body.u32(0).finish() // no further fields
    account.u16(19).u16(bytes.length).bytes(bytes)
  }
  return account.finish()
}

/** Data of Metaplex's account of a token, its texts padded with zeros as the program pads them. */
export function writeMetaplexAccount(mint: Uint8Array, { name, symbol, uri }: MetadataFields): Uint8Array {
  const padded = (text: string, length: number) =>
    text.padEnd(length - Buffer.byteLength(text) + text.length, '\0')
  return new ByteWriter()
    .u8(4)
    .bytes(new Uint8Array(32)) // update authority
    .bytes(mint)
    .string(padded(name, 32))
    .string(padded(symbol, 10))
    .string(padded(uri, 200))
    .u16(0) // seller fee
    .u8(0) // creators
    .bool(false)
    .bool(true)
    .finish()
}
