import type { CreationPlaces } from '../creation.ts'
import type { VaultTrade } from '../vault-trade.ts'

/**
 * Meteora's DLMM (`lb_clmm`) in bytes.
 *
 * @see https://github.com/MeteoraAg/dlmm-sdk
 * @see https://www.npmjs.com/package/@meteora-ag/dlmm (`IDL`, program 0.12.0)
 */
export const PROGRAM_ID = 'LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo'

/** The program's instructions by their meaning to us. Limit orders move the reserves too and are no swaps. */
export const INSTRUCTIONS = {
  swap: 'swap swap2 swap_exact_out swap_exact_out2 swap_with_price_impact swap_with_price_impact2',
  initialize: `
    initialize_lb_pair initialize_lb_pair2 initialize_customizable_permissionless_lb_pair
    initialize_customizable_permissionless_lb_pair2`,
  initializePermission: 'initialize_permission_lb_pair',
  other: `
    add_liquidity add_liquidity2 add_liquidity_by_strategy add_liquidity_by_strategy2
    add_liquidity_by_strategy_one_side add_liquidity_by_weight add_liquidity_by_weight2
    add_liquidity_one_side add_liquidity_one_side_precise add_liquidity_one_side_precise2 cancel_limit_order
    claim_fee claim_fee2 claim_reward claim_reward2 close_bin_array close_claim_fee_operator_account
    close_limit_order_if_empty close_operator_account close_position close_position2 close_position_if_empty
    close_preset_parameter close_preset_parameter2 close_token_badge create_operator_account
    decrease_position_length fund_reward go_to_a_bin increase_oracle_length increase_position_length
    increase_position_length2 initialize_bin_array initialize_bin_array_bitmap_extension initialize_position
    initialize_position2 initialize_position_by_operator initialize_position_pda initialize_preset_parameter
    initialize_reward initialize_token_badge place_limit_order rebalance_liquidity remove_all_liquidity
    remove_liquidity remove_liquidity2 remove_liquidity_by_range remove_liquidity_by_range2
    set_activation_point set_pair_status set_pair_status_permissionless set_permissionless_operation_bits
    set_pre_activation_duration set_pre_activation_swap_address update_base_fee_parameters
    update_dynamic_fee_parameters update_fees_and_reward2 update_fees_and_rewards update_position_operator
    update_reward_duration update_reward_funder withdraw_ineligible_reward withdraw_protocol_fee
    zap_protocol_fee`,
} as const

/** Indexes of a swap's accounts, for all its versions; its referral is the host's fee. */
export const SWAP: VaultTrade = {
  pool: 0,
  authority: 10,
  base: { vault: 2, mint: 6 },
  quote: { vault: 3, mint: 7 },
  output: 5,
  referral: 9,
}
/** Indexes of a creation's accounts. */
export const INITIALIZE: CreationPlaces = { pool: 0, base: { mint: 2 }, quote: { mint: 3 } }
export const INITIALIZE_PERMISSION: CreationPlaces = { pool: 1, base: { mint: 3 }, quote: { mint: 4 } }
