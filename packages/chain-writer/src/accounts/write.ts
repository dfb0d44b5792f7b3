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
  return writePool('f19a6d0411b16dbc', 1 + 2 + 32, baseMint, quoteMint)
}

/** Data of the account of a pool of Raydium's CLMM, as far as its mints. */
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
