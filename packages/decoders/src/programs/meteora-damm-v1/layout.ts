import type { CreationPlaces } from '../creation.ts'
import type { VaultTrade } from '../vault-trade.ts'

/**
 * Meteora's DAMM v1 (`amm`, "dynamic pools") in bytes. Its pools lend their tokens, which are in accounts of Meteora's
 * vault program that several pools share.
 *
 * @see https://github.com/MeteoraAg/dynamic-amm-sdk
 * @see https://www.npmjs.com/package/@meteora-ag/dynamic-amm-sdk (`IDL`, program 0.5.3)
 */
export const PROGRAM_ID = 'Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB'

/** The program's instructions by their meaning to us. */
export const INSTRUCTIONS = {
  swap: 'swap',
  initializeEmpty: 'initialize_permissioned_pool',
  initialize: `
    initialize_permissionless_pool initialize_permissionless_pool_with_fee_tier
    initialize_customizable_permissionless_constant_product_pool`,
  initializeWithConfig: `
    initialize_permissionless_constant_product_pool_with_config
    initialize_permissionless_constant_product_pool_with_config2`,
  other: `
    add_balance_liquidity add_imbalance_liquidity bootstrap_liquidity claim_fee close_config create_config
    create_lock_escrow create_mint_metadata enable_or_disable_pool get_pool_info lock move_locked_lp
    override_curve_param partner_claim_fee remove_balance_liquidity remove_liquidity_single_side
    set_pool_fees set_whitelisted_vault update_activation_point withdraw_protocol_fees`,
} as const

/** Indexes of a swap's accounts. The protocol's fee goes straight from the trader to its own account. */
export const SWAP: VaultTrade = {
  pool: 0,
  authority: 12,
  base: { vault: 5, mint: null, isShared: true },
  quote: { vault: 6, mint: null, isShared: true },
}

/** Indexes of a creation's accounts; a pool without vaults is created empty. */
export const INITIALIZE: CreationPlaces = {
  pool: 0,
  base: { mint: 2, vault: 6 },
  quote: { mint: 3, vault: 7 },
}
export const INITIALIZE_WITH_CONFIG: CreationPlaces = {
  pool: 0,
  base: { mint: 3, vault: 7 },
  quote: { mint: 4, vault: 8 },
}
export const INITIALIZE_EMPTY: CreationPlaces = { pool: 0, base: { mint: 2 }, quote: { mint: 3 } }
