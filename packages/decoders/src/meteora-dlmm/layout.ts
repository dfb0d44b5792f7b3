import { DiscriminatorTable } from '../discriminator.ts'

/**
 * Meteora's DLMM (`lb_clmm`) in bytes.
 *
 * @see https://github.com/MeteoraAg/dlmm-sdk
 * @see https://www.npmjs.com/package/@meteora-ag/dlmm (`IDL`, program 0.12.0)
 */
export const PROGRAM_ID = 'LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo'

/** Places of a creation's accounts. */
export type InitializeAccounts = Readonly<{ pool: number; mintX: number; mintY: number }>

/** What an instruction is to us. Limit orders move the reserves too and are no swaps. */
type DlmmInstruction = 'swap' | 'other' | InitializeAccounts

const INITIALIZE: InitializeAccounts = { pool: 0, mintX: 2, mintY: 3 }
const INITIALIZE_PERMISSION: InitializeAccounts = { pool: 1, mintX: 3, mintY: 4 }

/** Every instruction of the program by its discriminator. */
export const INSTRUCTIONS = new DiscriminatorTable<DlmmInstruction>({
  f8c69e91e17587c8: 'swap', // swap
  '414b3f4ceb5b5b88': 'swap', // swap2
  fa49652126cf4bb8: 'swap', // swap_exact_out
  '2bd7f784893cf351': 'swap', // swap_exact_out2
  '38ade6d0ade49ccd': 'swap', // swap_with_price_impact
  '4a62c0d6b1334b33': 'swap', // swap_with_price_impact2
  '2d9aedd2dd0fa65c': INITIALIZE, // initialize_lb_pair
  '493b2478ed536cc6': INITIALIZE, // initialize_lb_pair2
  '2e2729876fb7c840': INITIALIZE, // initialize_customizable_permissionless_lb_pair
  f349817e3313f16b: INITIALIZE, // initialize_customizable_permissionless_lb_pair2
  '6c66d555fb033515': INITIALIZE_PERMISSION, // initialize_permission_lb_pair
  b59d59438fb63448: 'other', // add_liquidity
  e4a24e1c46db7473: 'other', // add_liquidity2
  '0703967f94283dc8': 'other', // add_liquidity_by_strategy
  '03dd95da6f8d76d5': 'other', // add_liquidity_by_strategy2
  '2905eeaf64e106cd': 'other', // add_liquidity_by_strategy_one_side
  '1c8cee63e7a21595': 'other', // add_liquidity_by_weight
  d13b3f5b6fc899e4: 'other', // add_liquidity_by_weight2
  '5e9b6797465fdca5': 'other', // add_liquidity_one_side
  a1c26754ab47fa9a: 'other', // add_liquidity_one_side_precise
  '2133a3c975627de7': 'other', // add_liquidity_one_side_precise2
  '849c841f4328e861': 'other', // cancel_limit_order
  a9204f8988e84689: 'other', // claim_fee
  '70bf65ab1c907fbb': 'other', // claim_fee2
  '955fb5f25e5a9ea2': 'other', // claim_reward
  be037f77b2579db7: 'other', // claim_reward2
  '44ae5850b5cc13e0': 'other', // close_bin_array
  b8d5581fb3658224: 'other', // close_claim_fee_operator_account
  '397c249b7ef95dab': 'other', // close_limit_order_if_empty
  ab09d54a7817031d: 'other', // close_operator_account
  '7b86510031446262': 'other', // close_position
  ae5a2373ba2893e2: 'other', // close_position2
  '3b7cd4765b986e9d': 'other', // close_position_if_empty
  '04949164861ab53d': 'other', // close_preset_parameter
  '27195f6b7411731c': 'other', // close_preset_parameter2
  '6c92566eb3fe0a68': 'other', // close_token_badge
  dd40f695f099e5a3: 'other', // create_operator_account
  c2db882019606925: 'other', // decrease_position_length
  bc32f9a55d97263f: 'other', // fund_reward
  '9248aee028fd54ae': 'other', // go_to_a_bin
  be3d7d57674f9ead: 'other', // increase_oracle_length
  '505375d3420d2195': 'other', // increase_position_length
  ffd2cc477389e171: 'other', // increase_position_length2
  '235613b94ed44bd3': 'other', // initialize_bin_array
  '2f9de2b40cf02147': 'other', // initialize_bin_array_bitmap_extension
  dbc0ea47bebf6650: 'other', // initialize_position
  '8f13f291d50f6873': 'other', // initialize_position2
  fbbdbef475fe2394: 'other', // initialize_position_by_operator
  '2e527d92558de499': 'other', // initialize_position_pda
  '42bc47d3626d0eba': 'other', // initialize_preset_parameter
  '5f87c0c4f281e644': 'other', // initialize_reward
  fd4dcd5f1be059df: 'other', // initialize_token_badge
  '6cb021ba92e501c5': 'other', // place_limit_order
  '5c04b0c177b95309': 'other', // rebalance_liquidity
  '0a333d2370691855': 'other', // remove_all_liquidity
  '5055d14818ceb16c': 'other', // remove_liquidity
  e6d7527ff165e392: 'other', // remove_liquidity2
  '1a526698f04a691a': 'other', // remove_liquidity_by_range
  cc02c391359191cd: 'other', // remove_liquidity_by_range2
  '5bf90fa51a81fe7d': 'other', // set_activation_point
  '43f8e7899a95d9ae': 'other', // set_pair_status
  '4e3b98d346b72ed0': 'other', // set_pair_status_permissionless
  '543acb8ba351beba': 'other', // set_permissionless_operation_bits
  a53dc9f4829f1664: 'other', // set_pre_activation_duration
  '398b2f7bd850df0a': 'other', // set_pre_activation_swap_address
  '4ba8dfa110c3032f': 'other', // update_base_fee_parameters
  '5ca12ef6ffbd1616': 'other', // update_dynamic_fee_parameters
  '208eb89a6741b858': 'other', // update_fees_and_reward2
  '9ae6fa0decd14bdf': 'other', // update_fees_and_rewards
  cab8678fb4bf74d9: 'other', // update_position_operator
  '8aaec4a9d5ebfe6b': 'other', // update_reward_duration
  d31c3020d7a02317: 'other', // update_reward_funder
  '94ce2ac3f7316708': 'other', // withdraw_ineligible_reward
  '9ec99ebd215da267': 'other', // withdraw_protocol_fee
  d59bbb2238b65bf0: 'other', // zap_protocol_fee
  '40f4bc78a7e9690a': 'other', // Anchor's own, which keeps the IDL on the chain
})

/** Places of a swap's accounts, of all its versions alike. */
export const SWAP_ACCOUNTS = {
  pool: 0,
  reserveX: 2,
  reserveY: 3,
  mintX: 6,
  mintY: 7,
  hostFee: 9,
  user: 10,
} as const
