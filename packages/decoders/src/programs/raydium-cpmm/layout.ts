import { ByteReader } from '../../bytes/byte-reader.ts'
import { anchorName } from '../../bytes/discriminator.ts'
import type { CreationPlaces } from '../creation.ts'
import type { DirectedTrade } from '../vault-trade.ts'

/**
 * Raydium's CPMM in bytes.
 *
 * @see https://github.com/raydium-io/raydium-idl/blob/master/raydium_cpmm/raydium_cp_swap.json
 * @see https://github.com/raydium-io/raydium-cp-swap
 */
export const PROGRAM_ID = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'

/** The program's instructions by their meaning to us. */
export const INSTRUCTIONS = {
  swap: 'swap_base_input swap_base_output',
  initialize: 'initialize',
  initializeWithPermission: 'initialize_with_permission',
  other: `
    create_amm_config update_amm_config update_pool_status collect_protocol_fee collect_fund_fee
    collect_creator_fee create_permission_pda close_permission_pda deposit withdraw`,
} as const

/** Indexes of accounts. */
export const SWAP: DirectedTrade = {
  pool: 3,
  authority: 0,
  incoming: { vault: 6, mint: 10 },
  outgoing: { vault: 7, mint: 11 },
}
export const INITIALIZE: CreationPlaces = {
  pool: 3,
  base: { mint: 4, vault: 10 },
  quote: { mint: 5, vault: 11 },
}
export const INITIALIZE_CREATOR = 0
export const INITIALIZE_WITH_PERMISSION: CreationPlaces = {
  pool: 4,
  base: { mint: 5, vault: 11 },
  quote: { mint: 6, vault: 12 },
  creator: 1,
}

export const SWAP_EVENT = anchorName('event:SwapEvent')

/** A swap from the pool's side: neither input nor output includes a Token-2022 fee of the trader's leg. */
export type SwapEvent = Readonly<{
  pool: Uint8Array
  /** Raw units of the vaults that belong to the pool, without fees set aside for others. */
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
