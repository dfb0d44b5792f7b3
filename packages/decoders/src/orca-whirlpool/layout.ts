import { ByteReader } from '../byte-reader.ts'
import { bytesOfHex, DiscriminatorTable } from '../discriminator.ts'

/**
 * Orca's Whirlpool in bytes: the program and its immutable copy, which are the same.
 *
 * @see https://github.com/orca-so/whirlpools (630c0e0)
 */
export const PROGRAM_ID = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'
export const IMMUTABLE_PROGRAM_ID = 'iwhrLHdsgrvmnwU8GF2FSmyabSMjfHwFGJAX2ufJ3ZN'

/** Places of one pool's accounts in a swap; the first version names no mints. */
export type SwapAccounts = Readonly<{
  authority: number
  pool: number
  mintA: number | null
  mintB: number | null
  vaultA: number
  vaultB: number
}>

/** What an instruction is to us: swaps of one pool or two, a creation by the place of its pool. */
type WhirlpoolInstruction = readonly SwapAccounts[] | 'two_hop_swap_v2' | Readonly<{ pool: number }> | 'other'

const SWAP: readonly SwapAccounts[] = [
  { authority: 1, pool: 2, mintA: null, mintB: null, vaultA: 4, vaultB: 6 },
]
const SWAP_V2: readonly SwapAccounts[] = [
  { authority: 3, pool: 4, mintA: 5, mintB: 6, vaultA: 8, vaultB: 10 },
]
const TWO_HOP_SWAP: readonly SwapAccounts[] = [
  { authority: 1, pool: 2, mintA: null, mintB: null, vaultA: 5, vaultB: 7 },
  { authority: 1, pool: 3, mintA: null, mintB: null, vaultA: 9, vaultB: 11 },
]

/** Every instruction of the program by its discriminator. */
export const INSTRUCTIONS = new DiscriminatorTable<WhirlpoolInstruction>({
  f8c69e91e17587c8: SWAP, // swap
  '2b04ed0b1ac91e62': SWAP_V2, // swap_v2
  c360ed6c44a2dbe6: TWO_HOP_SWAP, // two_hop_swap
  ba8fd11dfe02c275: 'two_hop_swap_v2', // two_hop_swap_v2
  '5fb40aac54aee828': { pool: 4 }, // initialize_pool
  cf2d57f21b3fcc43: { pool: 6 }, // initialize_pool_v2
  '8f5e604cac7c77c7': { pool: 7 }, // initialize_pool_with_adaptive_fee
  e581999d996a61a0: 'other', // admin_increase_liquidity
  '2924d8f51b556743': 'other', // close_bundled_position
  '7b86510031446262': 'other', // close_position
  '01b6873b9b1963df': 'other', // close_position_with_token_extensions
  a498cf631eba13b6: 'other', // collect_fees
  cf755fbfe5b4e20f: 'other', // collect_fees_v2
  '1643176296b246dc': 'other', // collect_protocol_fees
  '6780de8672c816c8': 'other', // collect_protocol_fees_v2
  '4605845756ebb122': 'other', // collect_reward
  b16b25b4a01331d1: 'other', // collect_reward_v2
  a026d06f685b2c01: 'other', // decrease_liquidity
  '3a7fbc3e4f52c460': 'other', // decrease_liquidity_v2
  '64196302d9ef7cad': 'other', // delete_position_bundle
  '35924408127511b9': 'other', // delete_token_badge
  '2e9cf3760dcdfbb2': 'other', // increase_liquidity
  effb097cd2c6352b: 'other', // increase_liquidity_by_token_amounts_v2
  '851d59df45eeb00a': 'other', // increase_liquidity_v2
  '4d63d0c88d7b7530': 'other', // initialize_adaptive_fee_tier
  d07f1501c2bec446: 'other', // initialize_config
  '370935097239d134': 'other', // initialize_config_extension
  '2921a5c878e78e32': 'other', // initialize_dynamic_tick_array
  b74a9ca070022a1e: 'other', // initialize_fee_tier
  '752df1951812c241': 'other', // initialize_position_bundle
  '5d7c10b3f98373f5': 'other', // initialize_position_bundle_with_metadata
  '5f87c0c4f281e644': 'other', // initialize_reward
  '5b014d32ebe58531': 'other', // initialize_reward_v2
  '0bbcc1d68d5b95b8': 'other', // initialize_tick_array
  fd4dcd5f1be059df: 'other', // initialize_token_badge
  e33e02fcf70aabb9: 'other', // lock_position
  d6a1f84f9862ace7: 'other', // migrate_repurpose_reward_authority_space
  a9717eabd5acd431: 'other', // open_bundled_position
  '87802f4d0f98f031': 'other', // open_position
  f21d86303a6e0e3c: 'other', // open_position_with_metadata
  d42f5f5c726683fa: 'other', // open_position_with_token_extensions
  bfa9e00b83139efd: 'other', // reposition_liquidity_v2
  a47bb48dc264a0af: 'other', // reset_position_range
  '859ed4bded0c4927': 'other', // set_adaptive_fee_constants
  '22965df48be1e943': 'other', // set_collect_protocol_fees_authority
  '2c5ef17418bc3c8f': 'other', // set_config_extension_authority
  '47ade41243f7d239': 'other', // set_config_feature_flag
  e54254fba486b707: 'other', // set_default_base_fee_rate
  '76d7d69db6e5d0e4': 'other', // set_default_fee_rate
  '6bcdf9e297235600': 'other', // set_default_protocol_fee_rate
  c1eae7938a39037a: 'other', // set_delegated_fee_authority
  '1f013257ed656184': 'other', // set_fee_authority
  '35f38941088c9e06': 'other', // set_fee_rate
  '7979367283e6a268': 'other', // set_fee_rate_by_delegated_fee_authority
  '7d2b7feb951a6aec': 'other', // set_initialize_pool_authority
  '84b94294535886c6': 'other', // set_preset_adaptive_fee_constants
  '5f0704329a4f9c83': 'other', // set_protocol_fee_rate
  '2227b7fc531c557f': 'other', // set_reward_authority
  f09ac9c6945d3819: 'other', // set_reward_authority_by_super_authority
  '0dc556a86db01bf4': 'other', // set_reward_emissions
  cf05c8d17a3852b7: 'other', // set_reward_emissions_super_authority
  '72e44820c130a066': 'other', // set_reward_emissions_v2
  e05841218a93f689: 'other', // set_token_badge_attribute
  cfca0420cd4f0db2: 'other', // set_token_badge_authority
  b379e52e438ac28a: 'other', // transfer_locked_position
  '9ae6fa0decd14bdf': 'other', // update_fees_and_rewards
  '40f4bc78a7e9690a': 'other', // Anchor's own, which keeps the IDL on the chain
})

/** Places of the mints where a pool is made, in every version. */
export const INITIALIZE_MINTS = { mintA: 1, mintB: 2 } as const

/**
 * `two_hop_swap_v2` names input, intermediate and output; which of them is a pool's token A is said by the flags
 * `a_to_b_one` and `a_to_b_two` of its data.
 */
const TWO_HOP_V2 = [
  { flag: 25, pool: 0, input: { mint: 2, vault: 9 }, output: { mint: 3, vault: 10 } },
  { flag: 26, pool: 1, input: { mint: 3, vault: 11 }, output: { mint: 4, vault: 12 } },
] as const
const TWO_HOP_V2_AUTHORITY = 14

/** The two swaps of a `two_hop_swap_v2`; undefined when its data end before the flags. */
export function readTwoHopSwapV2(data: Uint8Array): readonly SwapAccounts[] | undefined {
  if (data.length <= TWO_HOP_V2[1].flag) return undefined
  return TWO_HOP_V2.map(({ flag, pool, input, output }) => {
    const [a, b] = data[flag] === 1 ? [input, output] : [output, input]
    return {
      authority: TWO_HOP_V2_AUTHORITY,
      pool,
      mintA: a.mint,
      mintB: b.mint,
      vaultA: a.vault,
      vaultB: b.vault,
    }
  })
}

/** First 8 bytes of sha256("event:PoolInitialized"). */
export const POOL_INITIALIZED_EVENT = bytesOfHex('6476ad570cc6fee5')

/** A pool's creation as logged. */
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
