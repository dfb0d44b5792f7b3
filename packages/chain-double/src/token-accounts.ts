/** Fields of {@link writeMintState}. Authorities are keys, null for none. */
type MintFields = Readonly<{
  mint: Uint8Array
  decimals: number
  supply: bigint
  mintAuthority?: Uint8Array | null
  freezeAuthority?: Uint8Array | null
  /** Token-2022's pointer to the metadata account. */
  pointer?: Uint8Array
  /** Metadata in the mint itself. */
  metadata?: MetadataFields
}>

/** A token's name, symbol and description address. */
type MetadataFields = Readonly<{ name: string; symbol: string; uri: string }>

/**
 * Writes the data of a mint's account, with Token-2022's extensions if it has a pointer or metadata.
 *
 * @see https://github.com/solana-program/token-2022 (`Mint`, `MetadataPointer`)
 * @see https://github.com/solana-program/token-metadata (`TokenMetadata`)
 */
export function writeMintState(fields: MintFields): Uint8Array {
  const { mint, decimals, supply, mintAuthority, freezeAuthority, pointer, metadata } = fields
  const base = Buffer.concat([
    authority(mintAuthority),
    u64(supply),
    Buffer.of(decimals, 1), // initialized
    authority(freezeAuthority),
  ])
  if (!pointer && !metadata) return base
  const parts: Uint8Array[] = [base, Buffer.alloc(83), Buffer.of(1)] // padded to the size of a token account; a mint
  if (pointer) parts.push(u16(18), u16(64), NO_KEY, Buffer.from(pointer))
  if (metadata) {
    const { name, symbol, uri } = metadata
    const body = Buffer.concat([NO_KEY, mint, ...[name, symbol, uri].map(text), u32(0)]) // no further fields
    parts.push(u16(19), u16(body.length), body)
  }
  return Buffer.concat(parts)
}

/**
 * Writes the data of Metaplex's account of a token, with its texts zero-padded as the program does.
 *
 * @see https://github.com/metaplex-foundation/mpl-token-metadata (`Metadata`)
 */
export function writeMetaplexAccount(mint: Uint8Array, { name, symbol, uri }: MetadataFields): Uint8Array {
  const padded = (value: string, length: number) => {
    const bytes = Buffer.alloc(Math.max(length, Buffer.byteLength(value)))
    bytes.write(value)
    return Buffer.concat([u32(bytes.length), bytes])
  }
  return Buffer.concat([
    Buffer.of(4), // Key::MetadataV1
    NO_KEY, // update authority
    mint,
    padded(name, 32),
    padded(symbol, 10),
    padded(uri, 200),
    u16(0), // seller fee
    Buffer.of(0, 0, 1), // no creators, not sold yet, mutable
  ])
}

const NO_KEY = Buffer.alloc(32)

function authority(key: Uint8Array | null | undefined): Buffer {
  return Buffer.concat([u32(key ? 1 : 0), key ?? NO_KEY])
}

function text(value: string): Buffer {
  return Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)])
}

function u16(value: number): Buffer {
  return Buffer.of(value & 0xff, value >> 8)
}

function u32(value: number): Buffer {
  return Buffer.from(Uint32Array.of(value).buffer)
}

function u64(value: bigint): Buffer {
  return Buffer.from(BigUint64Array.of(value).buffer)
}
