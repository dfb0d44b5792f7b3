import { ByteWriter } from '../byte-writer.ts'

/** Data of a mint's account, of Token-2022 with its transfer fee where it has one. */
export function writeMintAccount(decimals: number, hasTransferFee = false): Uint8Array {
  const mint = new ByteWriter().zeros(44).u8(decimals).bool(true).zeros(36)
  if (!hasTransferFee) return mint.finish()
  // Padded to the room of a token account; then the kind of account (mint) and one extension (TransferFeeConfig).
  return mint.zeros(83).u8(1).u16(1).u16(108).zeros(108).finish()
}

/** Data of a PumpSwap pool's account, as far as its mints. */
export function writePumpswapPool(baseMint: Uint8Array, quoteMint: Uint8Array): Uint8Array {
  const discriminator = Buffer.from('f19a6d0411b16dbc', 'hex')
  return new ByteWriter()
    .bytes(discriminator)
    .zeros(1 + 2 + 32)
    .bytes(baseMint, quoteMint)
    .finish()
}

/** Data of the account of a pool of Raydium's CLMM, as far as its mints. */
export function writeClmmPool(mint0: Uint8Array, mint1: Uint8Array): Uint8Array {
  const discriminator = Buffer.from('f7ede3f5d7c3de46', 'hex')
  return new ByteWriter()
    .bytes(discriminator)
    .zeros(1 + 32 + 32)
    .bytes(mint0, mint1)
    .finish()
}
