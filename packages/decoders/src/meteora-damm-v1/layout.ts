import { DiscriminatorTable } from '../discriminator.ts'

/**
 * Meteora's DAMM v1 (`amm`, "dynamic pools") in bytes. Its pools lend what they hold: their tokens lie in accounts
 * of Meteora's vault program that several pools share.
 *
 * @see https://github.com/MeteoraAg/dynamic-amm-sdk
 * @see https://www.npmjs.com/package/@meteora-ag/dynamic-amm-sdk (`IDL`, program 0.5.3)
 */
export const PROGRAM_ID = 'Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB'

/** Places of a creation's accounts; a pool without vaults is made empty. */
export type InitializeAccounts = Readonly<{
  mintA: number
  mintB: number
  vaults: Readonly<{ a: number; b: number }> | null
}>

/** What an instruction is to us. */
type DammV1Instruction = 'swap' | 'other' | InitializeAccounts

const INITIALIZE: InitializeAccounts = { mintA: 2, mintB: 3, vaults: { a: 6, b: 7 } }
const INITIALIZE_WITH_CONFIG: InitializeAccounts = { mintA: 3, mintB: 4, vaults: { a: 7, b: 8 } }
const INITIALIZE_PERMISSIONED: InitializeAccounts = { mintA: 2, mintB: 3, vaults: null }

/** Every instruction of the program by its discriminator. */
export const INSTRUCTIONS = new DiscriminatorTable<DammV1Instruction>({
  f8c69e91e17587c8: 'swap', // swap
  '4d55b29d3230d47e': INITIALIZE_PERMISSIONED, // initialize_permissioned_pool
  '76ad299dad486167': INITIALIZE, // initialize_permissionless_pool
  '06874493e552a971': INITIALIZE, // initialize_permissionless_pool_with_fee_tier
  '9118acc2db7d03be': INITIALIZE, // initialize_customizable_permissionless_constant_product_pool
  '07a68aabceabecf4': INITIALIZE_WITH_CONFIG, // initialize_permissionless_constant_product_pool_with_config
  '3095dc823d0b09b2': INITIALIZE_WITH_CONFIG, // initialize_permissionless_constant_product_pool_with_config2
  a8e3323ebdab54b0: 'other', // add_balance_liquidity
  '4f237a54ad0f5dbf': 'other', // add_imbalance_liquidity
  '04e4d747e1fd77ce': 'other', // bootstrap_liquidity
  a9204f8988e84689: 'other', // claim_fee
  '9109489d5f7d3d55': 'other', // close_config
  c9cff3724b6f2fbd: 'other', // create_config
  '3657a51345e3dae0': 'other', // create_lock_escrow
  '0d46a829fa64945a': 'other', // create_mint_metadata
  '8006e48337a134a9': 'other', // enable_or_disable_pool
  '0930dc6516f04ec8': 'other', // get_pool_info
  '1513d02bed3eff57': 'other', // lock
  '28d22235e95fe88f': 'other', // move_locked_lp
  '6256cc335e4745bb': 'other', // override_curve_param
  '3935b01e7b463440': 'other', // partner_claim_fee
  '856d2cb338ee7221': 'other', // remove_balance_liquidity
  '5454b142feb90afb': 'other', // remove_liquidity_single_side
  '662c9e36cd257e4e': 'other', // set_pool_fees
  '0c945e2a373953f7': 'other', // set_whitelisted_vault
  '963e7ddbabdc1aed': 'other', // update_activation_point
  '0b44a56212d08649': 'other', // withdraw_protocol_fees
  '40f4bc78a7e9690a': 'other', // Anchor's own, which keeps the IDL on the chain
})

/** Place of the pool in every instruction. */
export const POOL = 0

/** Places of a swap's accounts. The protocol's fee goes straight from the trader to its own account. */
export const SWAP_ACCOUNTS = { vaultA: 5, vaultB: 6, user: 12 } as const
