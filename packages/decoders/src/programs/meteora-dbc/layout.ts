import { ByteReader } from '../../bytes/byte-reader.ts'
import { anchorName, holdsAt } from '../../bytes/discriminator.ts'
import type { CreationPlaces } from '../creation.ts'
import type { VaultTrade } from '../vault-trade.ts'

/**
 * Meteora's Dynamic Bonding Curve in bytes.
 *
 * @see https://github.com/MeteoraAg/dynamic-bonding-curve
 * @see https://www.npmjs.com/package/@meteora-ag/dynamic-bonding-curve-sdk (`DynamicBondingCurveIdl`, program 0.2.1)
 */
export const PROGRAM_ID = 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN'

/** The program's instructions by their meaning to us. */
export const INSTRUCTIONS = {
  swap: 'swap swap2 swap2_with_transfer_hook',
  initializeSpl: 'initialize_virtual_pool_with_spl_token',
  initialize2022: 'initialize_virtual_pool_with_token2022',
  initialize2022Hook: 'initialize_virtual_pool_with_token2022_transfer_hook',
  other: `
    claim_creator_trading_fee claim_creator_trading_fee2 claim_partner_pool_creation_fee claim_protocol_fee2
    claim_protocol_pool_creation_fee claim_trading_fee claim_trading_fee2 close_claim_protocol_fee_operator
    close_operator_account close_token_badge create_config create_config_with_transfer_hook create_locker
    create_operator_account create_partner_metadata create_token_badge create_virtual_pool_metadata
    creator_withdraw_surplus migrate_meteora_damm migrate_meteora_damm_claim_lp_token
    migrate_meteora_damm_lock_lp_token migration_damm_v2 migration_damm_v2_create_metadata
    migration_meteora_damm_create_metadata partner_withdraw_surplus transfer_pool_creator withdraw_leftover
    withdraw_migration_fee claim_pool_creation_fee claim_protocol_fee close_claim_fee_operator
    create_claim_fee_operator initialize_virtual_pool_with_dynamic_config protocol_withdraw_surplus
    withdraw_protocol_leftover zap_protocol_fee`,
} as const

/** Indexes of a swap's accounts, for all its versions. */
export const SWAP: VaultTrade = {
  pool: 2,
  authority: 9,
  base: { vault: 5, mint: 7 },
  quote: { vault: 6, mint: 8 },
  output: 4,
  referral: 12,
}
export const SWAP_CONFIG = 1
/** Indexes of a creation's accounts, for all its versions. */
export const INITIALIZE_CONFIG = 0
export const INITIALIZE_CREATOR = 2
export const INITIALIZE: CreationPlaces = {
  pool: 5,
  base: { mint: 3, vault: 6 },
  quote: { mint: 4 },
  creator: INITIALIZE_CREATOR,
}
/** Index of the curve's payer, the only one that differs. */
export const PAYER_OF_SPL = 10
export const PAYER_OF_2022 = 8
export const PAYER_OF_2022_HOOK = 9
/** Indexes in `create_config`; accounts after the program's own eight are the caller's. */
export const CREATE_CONFIG_ACCOUNTS = { config: 0, extra: 8 } as const

const CREATE_CONFIG = anchorName('global:create_config')

/** Whether `data` is that of `create_config`. */
export function isCreateConfig(data: Uint8Array): boolean {
  return holdsAt(data, CREATE_CONFIG, 0)
}

/** Since 2025, a swap sends the old event and a new one with the same contents. */
export const SWAP_EVENT = anchorName('event:EvtSwap2')
export const HOOKED_SWAP_EVENT = anchorName('event:EvtSwap2WithTransferHook')
export const OLD_SWAP_EVENT = anchorName('event:EvtSwap')

/** A swap from the curve's side, in raw units. */
export type SwapEvent = Readonly<{
  pool: Uint8Array
  isBuy: boolean
  amountIn: bigint
  amountOut: bigint
  /** The curve's reserve after the swap, without fees; null if an older program does not report it. */
  quoteReserve: bigint | null
  /** The reserve at which the curve is complete; null where the reserve is. */
  threshold: bigint | null
}>

/** `body` follows the discriminator. @throws TruncatedError when it ends too early. */
export function readSwapEvent(body: Uint8Array): SwapEvent {
  const reader = new ByteReader(body)
  const pool = reader.key()
  reader.skip(32) // config
  const isBuy = reader.u8() === 1
  reader.skip(1 + 17) // has_referral, swap_parameters
  const amountIn = reader.u64()
  reader.skip(8 + 8) // excluded_fee_input_amount, amount_left
  const amountOut = reader.u64()
  reader.skip(16 + 8 * 3) // next_sqrt_price and three fees
  return { pool, isBuy, amountIn, amountOut, quoteReserve: reader.u64(), threshold: reader.u64() }
}

/** The event of the program's first versions. @throws TruncatedError when it ends too early. */
export function readOldSwapEvent(body: Uint8Array): SwapEvent {
  const reader = new ByteReader(body)
  const pool = reader.key()
  reader.skip(32) // config
  const isBuy = reader.u8() === 1
  reader.skip(1 + 16 + 8) // has_referral, params, actual_input_amount
  const amountOut = reader.u64()
  reader.skip(16 + 8 * 3) // next_sqrt_price and three fees
  return { pool, isBuy, amountIn: reader.u64(), amountOut, quoteReserve: null, threshold: null }
}

/** The creator's details of the token. */
type Launch = Readonly<{ name: string; symbol: string; uri: string }>

/** `data` of a creation, including the discriminator. @throws TruncatedError when it ends too early. */
export function readLaunch(data: Uint8Array): Launch {
  const reader = new ByteReader(data, 8)
  return { name: reader.string(), symbol: reader.string(), uri: reader.string() }
}
