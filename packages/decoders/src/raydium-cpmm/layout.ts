import { ByteReader } from '../byte-reader.ts'
import { bytesOfHex, DiscriminatorTable } from '../discriminator.ts'

/**
 * Raydium's CPMM in bytes.
 *
 * @see https://github.com/raydium-io/raydium-idl/blob/master/raydium_cpmm/raydium_cp_swap.json
 * @see https://github.com/raydium-io/raydium-cp-swap
 */
export const PROGRAM_ID = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'

/** Places of a creation's accounts. */
export type InitializeAccounts = Readonly<{
  pool: number
  mint0: number
  mint1: number
  vault0: number
  vault1: number
}>

/** What an instruction is to us. */
type CpmmInstruction =
  | Readonly<{ kind: 'swap' }>
  | Readonly<{ kind: 'initialize'; accounts: InitializeAccounts }>
  | Readonly<{ kind: 'other' }>

const SWAP = { kind: 'swap' } as const
const OTHER = { kind: 'other' } as const

/** Every instruction of the program by its discriminator. */
export const INSTRUCTIONS = new DiscriminatorTable<CpmmInstruction>({
  '8fbe5adac41e33de': SWAP, // swap_base_input
  '37d96256a34ab4ad': SWAP, // swap_base_output
  afaf6d1f0d989bed: {
    kind: 'initialize',
    accounts: { pool: 3, mint0: 4, mint1: 5, vault0: 10, vault1: 11 },
  },
  // initialize_with_permission
  '3f37fe4131b25979': {
    kind: 'initialize',
    accounts: { pool: 4, mint0: 5, mint1: 6, vault0: 11, vault1: 12 },
  },
  '8934edd4d7756c68': OTHER, // create_amm_config
  '313cae889a1c74c8': OTHER, // update_amm_config
  '82576c062ee0757b': OTHER, // update_pool_status
  '8888fcddc2427e59': OTHER, // collect_protocol_fee
  a78a4e95dfc2067e: OTHER, // collect_fund_fee
  '1416567bc61cdb84': OTHER, // collect_creator_fee
  '878802d889a9b5ca': OTHER, // create_permission_pda
  '9c5420764587467b': OTHER, // close_permission_pda
  f223c68952e1f2b6: OTHER, // deposit
  b712469c946da122: OTHER, // withdraw
  '40f4bc78a7e9690a': OTHER, // Anchor's own, which keeps the IDL on the chain
})

/** Places of a swap's accounts. */
export const SWAP_ACCOUNTS = {
  payer: 0,
  pool: 3,
  inputVault: 6,
  outputVault: 7,
  inputMint: 10,
  outputMint: 11,
} as const

/** First 8 bytes of sha256("event:SwapEvent"). */
export const SWAP_EVENT = bytesOfHex('40c6cde8260871e2')

/** A swap from the pool's side: a Token-2022 fee of the trader's leg is neither in the input nor out of the output. */
export type SwapEvent = Readonly<{
  pool: Uint8Array
  /** Raw units of the vaults that belong to the pool, fees set aside for others left out. */
  inputReserveBefore: bigint
  outputReserveBefore: bigint
  inputAmount: bigint
  outputAmount: bigint
}>

/** `body` follows the discriminator. @throws TruncatedError when it ends before the old layout did (81 bytes). */
export function readSwapEvent(body: Uint8Array): SwapEvent {
  const reader = new ByteReader(body)
  const pool = reader.key()
  const inputReserveBefore = reader.u64()
  const outputReserveBefore = reader.u64()
  const inputAmount = reader.u64()
  const outputAmount = reader.u64()
  reader.skip(8 + 8 + 1) // input_transfer_fee, output_transfer_fee, base_input
  return { pool, inputReserveBefore, outputReserveBefore, inputAmount, outputAmount }
}
