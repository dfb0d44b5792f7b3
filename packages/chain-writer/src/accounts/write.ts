import { ByteWriter } from '../byte-writer.ts'

/** Writes a mint's account, of Token-2022 if it has a transfer fee. */
export function writeMintAccount(decimals: number, hasTransferFee = false): Uint8Array {
  const mint = new ByteWriter().zeros(44).u8(decimals).bool(true).zeros(36)
  if (!hasTransferFee) return mint.finish()
  // Padded to the size of a token account; then the kind of account (mint) and one extension (TransferFeeConfig).
  return mint.zeros(83).u8(1).u16(1).u16(108).zeros(108).finish()
}

/** Writes a PumpSwap pool's account up to its mints. */
export function writePumpswapPool(baseMint: Uint8Array, quoteMint: Uint8Array): Uint8Array {
  return writePool('f19a6d0411b16dbc', 1 + 2 + 32, baseMint, quoteMint)
}

/** Writes the account of a pool of Raydium's CLMM up to its mints. */
export function writeClmmPool(mint0: Uint8Array, mint1: Uint8Array): Uint8Array {
  return writePool('f7ede3f5d7c3de46', 1 + 32 + 32, mint0, mint1)
}

function writePool(discriminator: string, between: number, ...mints: Uint8Array[]): Uint8Array {
  const head = Buffer.from(discriminator, 'hex')
  return new ByteWriter()
    .bytes(head)
    .zeros(between)
    .bytes(...mints)
    .finish()
}
