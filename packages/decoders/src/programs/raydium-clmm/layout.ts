import { ByteReader } from '../../bytes/byte-reader.ts'
import { anchorName, holdsAt } from '../../bytes/discriminator.ts'
import type { CreationPlaces } from '../creation.ts'
import type { DirectedTrade } from '../vault-trade.ts'

/**
 * Raydium's CLMM in bytes, and the two programs that run it under their own addresses: PancakeSwap identically, Byreal
 * with other accounts for pool creation.
 *
 * @see https://github.com/raydium-io/raydium-clmm (03b44b7)
 * @see https://github.com/byreal-git/byreal-clmm-sdk (`byreal_amm_v3.json`)
 * @see https://github.com/byreal-git/byreal-clmm (650afbd, `idl/byreal_clmm.json`)
 * @see https://github.com/hummingbot/gateway (PancakeSwap's connector: "IDL: Same as Raydium CLMM")
 */
export const RAYDIUM = 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK'
export const PANCAKESWAP = 'HpNfyc2Saw7RKkQd8nEL4khUcuPhQ7WwY1B2qjx8jxFq'
export const BYREAL = 'REALQqNEomY6cQGZJUGwywTBD2UmDT32rZcNnfxQ5N2'

/** Every instruction of the three programs by what it is to us. Limit orders move the vaults too and are no swaps. `swap_v3_dyn` and
 * `create_pool_decay_fee` are Byreal's: oracles follow behind the accounts of the first. */
export const INSTRUCTIONS = {
  swap: 'swap',
  swapV2: 'swap_v2 swap_v3_dyn',
  route: 'swap_router_base_in',
  create: 'create_pool create_customizable_pool create_pool_decay_fee',
  other: `
    claim_offchain_reward close_limit_order close_position close_protocol_position collect_fund_fee
    collect_protocol_fee collect_remaining_rewards create_amm_config create_dynamic_fee_config
    create_operation_account create_support_mint_associated decrease_limit_order decrease_liquidity
    decrease_liquidity_v2 deposit_offchain_reward increase_limit_order increase_liquidity
    increase_liquidity_v2 init_amm_admin_group initialize_reward open_limit_order open_position
    open_position_v2 open_position_with_token22_nft set_pool_quote_flag set_pool_trade_fee_rate
    set_reward_params set_swap_dynamic_fee_params settle_limit_order transfer_reward_owner
    update_amm_admin_group update_amm_config update_dynamic_fee_config update_operation_account
    update_pool_status update_reward_infos withdraw_offchain_reward`,
} as const

/** Indexes of accounts; the first version of the swap names no mints. */
export const SWAP: DirectedTrade = {
  pool: 2,
  authority: 0,
  incoming: { vault: 5, mint: null },
  outgoing: { vault: 6, mint: null },
}
export const SWAP_V2: DirectedTrade = {
  pool: 2,
  authority: 0,
  incoming: { vault: 5, mint: 11 },
  outgoing: { vault: 6, mint: 12 },
}
export const CREATE: CreationPlaces = { pool: 2, base: { mint: 3 }, quote: { mint: 4 }, creator: 0 }
export const BYREAL_CREATE: CreationPlaces = { pool: 4, base: { mint: 6 }, quote: { mint: 7 }, creator: 0 }

/**
 * Indexes in `swap_router_base_in`. From `hops` on, each hop has these accounts in a row, followed by its tick arrays:
 * amm_config, pool, output account, input vault, output vault, output mint, observation.
 */
export const ROUTE_ACCOUNTS = { payer: 0, inputMint: 2, hops: 6 } as const
export const HOP_ACCOUNTS = { pool: 1, inputVault: 3, outputVault: 4, outputMint: 5, count: 7 } as const

export const SWAP_EVENT = anchorName('event:SwapEvent')

/** A swap as logged. */
export type SwapEvent = Readonly<{
  pool: Uint8Array
  /** Who signed it. */
  sender: Uint8Array
  /** Raw units that the pool's vaults took in or gave out. */
  amount0: bigint
  amount1: bigint
  /** Whether the first token came in. */
  isZeroForOne: boolean
}>

/** `body` follows the discriminator; later versions append fields. @throws TruncatedError when it ends too early. */
export function readSwapEvent(body: Uint8Array): SwapEvent {
  const reader = new ByteReader(body)
  const pool = reader.key()
  const sender = reader.key()
  reader.skip(32 + 32) // token_account_0, token_account_1
  const amount0 = reader.u64()
  const fee0 = reader.u64()
  const amount1 = reader.u64()
  const fee1 = reader.u64()
  const isZeroForOne = reader.bool()
  // For a Token-2022 mint it reports what reached the other side: the amount sent was higher by the withheld fee.
  return {
    pool,
    sender,
    amount0: isZeroForOne ? amount0 : amount0 + fee0,
    amount1: isZeroForOne ? amount1 + fee1 : amount1,
    isZeroForOne,
  }
}

export const POOL_CREATED_EVENT = anchorName('event:PoolCreatedEvent')

/** `body` follows the discriminator. @throws TruncatedError when it ends too early. */
export function readPoolCreatedEvent(
  body: Uint8Array,
): Readonly<{ pool: Uint8Array; mint0: Uint8Array; mint1: Uint8Array }> {
  const reader = new ByteReader(body)
  const mint0 = reader.key()
  const mint1 = reader.key()
  reader.skip(2) // tick_spacing
  return { pool: reader.key(), mint0, mint1 }
}

const POOL_ACCOUNT = anchorName('account:PoolState')

/** Reads both mints of a pool from its account's data; `undefined` when it is no pool. */
export function readPoolAccount(
  data: Uint8Array,
): Readonly<{ mint0: Uint8Array; mint1: Uint8Array }> | undefined {
  if (!holdsAt(data, POOL_ACCOUNT, 0)) return undefined
  const reader = new ByteReader(data, 8 + 1 + 32 + 32) // discriminator, bump, amm_config, owner
  return { mint0: reader.key(), mint1: reader.key() }
}
