import { ByteReader } from '../../bytes/byte-reader.ts'
import type { VaultTrade } from '../vault-trade.ts'

/**
 * Heaven in bytes: pools with a virtual reserve of SOL, open from a token's first moment.
 *
 * @see https://github.com/sevenlabs-hq/carbon (heaven-decoder, 9dc3c3a)
 */
export const PROGRAM_ID = 'HEAVENoP2qxoeuF8Dj2oT1GHEnu49U5mJYkdeC8BAX2o'

/** The program's instructions by their meaning to us. */
export const INSTRUCTIONS = {
  trade: 'buy sell',
  create: 'create_standard_liquidity_pool',
  other: `
    admin_borrow_sol admin_claim_msol admin_claim_staking_rewards admin_claim_standard_creator_trading_fees
    admin_deposit_msol admin_mint_msol admin_repay_sol admin_unstake_msol
    admin_update_standard_liquidity_pool_state admin_withdraw_msol admin_withdraw_transfer_fee
    claim_standard_creator_trading_fee_protocol_fees claim_standard_creator_trading_fees
    claim_standard_protocol_trading_fees claim_standard_reflection_trading_fees close_protocol_lookup_table
    create_or_update_protocol_fee_admin create_or_update_protocol_owner
    create_or_update_protocol_staking_admin create_protocol_config create_protocol_lookup_table
    deactivate_protocol_lookup_table extend_protocol_lookup_table initialize_protocol_lending
    set_protocol_slot_fees update_allow_create_pool update_creator_trading_fee_receiver
    update_protocol_config`,
} as const

/** Indexes of a trade's accounts. */
export const TRADE: VaultTrade = {
  pool: 4,
  authority: 5,
  base: { mint: 6, vault: 10 },
  quote: { mint: 7, vault: 11 },
}
/** Indexes of a creation's accounts. */
export const CREATE_ACCOUNTS = {
  user: 3,
  payer: 4,
  mintA: 5,
  mintB: 6,
  userA: 7,
  vaultA: 8,
  vaultB: 9,
  pool: 10,
} as const

/**
 * Reads the raw units that the creator buys in the creation itself; 0 for none.
 *
 * @param data of a creation, including the discriminator. @throws TruncatedError when it ends too early.
 */
export function readInitialPurchase(data: Uint8Array): bigint {
  const reader = new ByteReader(data, 8)
  reader.skip(2) // protocol_config_version
  reader.skip(reader.u32()) // encoded_user_defined_event_data
  return reader.u64()
}
