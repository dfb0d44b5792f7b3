import { ByteReader } from '../../bytes/byte-reader.ts'
import { anchorHex, anchorName, DiscriminatorTable } from '../../bytes/discriminator.ts'
import type { CreationPlaces } from '../creation.ts'
import type { VaultTrade } from '../vault-trade.ts'

/**
 * Orca's Whirlpool in bytes: the program and its identical immutable copy.
 *
 * @see https://github.com/orca-so/whirlpools (630c0e0)
 */
export const PROGRAM_ID = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'
export const IMMUTABLE_PROGRAM_ID = 'iwhrLHdsgrvmnwU8GF2FSmyabSMjfHwFGJAX2ufJ3ZN'

/** The program's instructions by their meaning to us. */
export const INSTRUCTIONS = {
  swap: 'swap',
  swapV2: 'swap_v2',
  twoHopSwap: 'two_hop_swap',
  twoHopSwapV2: 'two_hop_swap_v2',
  initialize: 'initialize_pool',
  initializeV2: 'initialize_pool_v2',
  initializeWithAdaptiveFee: 'initialize_pool_with_adaptive_fee',
  other: `
    admin_increase_liquidity close_bundled_position close_position close_position_with_token_extensions
    collect_fees collect_fees_v2 collect_protocol_fees collect_protocol_fees_v2 collect_reward
    collect_reward_v2 decrease_liquidity decrease_liquidity_v2 delete_position_bundle delete_token_badge
    increase_liquidity increase_liquidity_by_token_amounts_v2 increase_liquidity_v2
    initialize_adaptive_fee_tier initialize_config initialize_config_extension initialize_dynamic_tick_array
    initialize_fee_tier initialize_position_bundle initialize_position_bundle_with_metadata
    initialize_reward initialize_reward_v2 initialize_tick_array initialize_token_badge lock_position
    migrate_repurpose_reward_authority_space open_bundled_position open_position open_position_with_metadata
    open_position_with_token_extensions reposition_liquidity_v2 reset_position_range
    set_adaptive_fee_constants set_collect_protocol_fees_authority set_config_extension_authority
    set_config_feature_flag set_default_base_fee_rate set_default_fee_rate set_default_protocol_fee_rate
    set_delegated_fee_authority set_fee_authority set_fee_rate set_fee_rate_by_delegated_fee_authority
    set_initialize_pool_authority set_preset_adaptive_fee_constants set_protocol_fee_rate
    set_reward_authority set_reward_authority_by_super_authority set_reward_emissions
    set_reward_emissions_super_authority set_reward_emissions_v2 set_token_badge_attribute
    set_token_badge_authority transfer_locked_position update_fees_and_rewards`,
} as const

/** Indexes of a swap's accounts, of each hop; the first versions name no mints. */
export const SWAP: VaultTrade = {
  pool: 2,
  authority: 1,
  base: { vault: 4, mint: null },
  quote: { vault: 6, mint: null },
}
export const SWAP_V2: VaultTrade = {
  pool: 4,
  authority: 3,
  base: { vault: 8, mint: 5 },
  quote: { vault: 10, mint: 6 },
}
export const TWO_HOP_SWAP: readonly VaultTrade[] = [
  { pool: 2, authority: 1, base: { vault: 5, mint: null }, quote: { vault: 7, mint: null } },
  { pool: 3, authority: 1, base: { vault: 9, mint: null }, quote: { vault: 11, mint: null } },
]

/** Indexes of a creation's accounts. */
const MINTS = { base: { mint: 1 }, quote: { mint: 2 } }
export const INITIALIZE: CreationPlaces = { pool: 4, ...MINTS }
export const INITIALIZE_V2: CreationPlaces = { pool: 6, ...MINTS }
export const INITIALIZE_WITH_ADAPTIVE_FEE: CreationPlaces = { pool: 7, ...MINTS }

/**
 * `two_hop_swap_v2` names input, intermediate and output; the flags `a_to_b_one` and `a_to_b_two` in its data tell
 * which of them is a pool's token A.
 */
const TWO_HOP_V2 = [
  { flag: 25, pool: 0, input: { mint: 2, vault: 9 }, output: { mint: 3, vault: 10 } },
  { flag: 26, pool: 1, input: { mint: 3, vault: 11 }, output: { mint: 4, vault: 12 } },
] as const
const TWO_HOP_V2_AUTHORITY = 14

/** Reads the two swaps of a `two_hop_swap_v2`; undefined when its data ends before the flags. */
export function readTwoHopSwapV2(data: Uint8Array): readonly VaultTrade[] | undefined {
  if (data.length <= TWO_HOP_V2[1].flag) return undefined
  return TWO_HOP_V2.map(({ flag, pool, input, output }) => {
    const [base, quote] = data[flag] === 1 ? [input, output] : [output, input]
    return { pool, authority: TWO_HOP_V2_AUTHORITY, base, quote }
  })
}

export const TRADED_EVENTS = new DiscriminatorTable({ [anchorHex('event:Traded')]: 'traded' })

/** A swap of one pool, since 2025: raw units that its vaults took in and gave out. */
export type TradedEvent = Readonly<{ pool: Uint8Array; aToB: boolean; taken: bigint; given: bigint }>

/** `body` follows the discriminator. @throws TruncatedError when it ends too early. */
export function readTradedEvent(body: Uint8Array): TradedEvent {
  const reader = new ByteReader(body)
  const pool = reader.key()
  const aToB = reader.bool()
  reader.skip(16 + 16) // pre_sqrt_price, post_sqrt_price
  const sent = reader.u64()
  const given = reader.u64()
  return { pool, aToB, taken: sent - reader.u64(), given } // less input_transfer_fee
}

export const POOL_INITIALIZED_EVENT = anchorName('event:PoolInitialized')

/** A pool's logged creation. */
type PoolInitializedEvent = Readonly<{
  pool: Uint8Array
  mintA: Uint8Array
  mintB: Uint8Array
  decimalsA: number
  decimalsB: number
}>

/** `body` follows the discriminator. @throws TruncatedError when it ends too early. */
export function readPoolInitializedEvent(body: Uint8Array): PoolInitializedEvent {
  const reader = new ByteReader(body)
  const pool = reader.key()
  reader.skip(32) // whirlpools_config
  const mintA = reader.key()
  const mintB = reader.key()
  reader.skip(2 + 32 + 32) // tick_spacing, token_program_a, token_program_b
  return { pool, mintA, mintB, decimalsA: reader.u8(), decimalsB: reader.u8() }
}
