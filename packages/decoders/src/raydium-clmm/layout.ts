import { ByteReader } from '../byte-reader.ts'
import { bytesOfHex, DiscriminatorTable, holdsAt } from '../discriminator.ts'

/**
 * Raydium's CLMM in bytes, and the two programs that run it under their own addresses: PancakeSwap the same to the
 * byte, Byreal with other accounts where a pool is made.
 *
 * @see https://github.com/raydium-io/raydium-clmm (03b44b7)
 * @see https://github.com/byreal-git/byreal-clmm-sdk (`byreal_amm_v3.json`)
 * @see https://github.com/byreal-git/byreal-clmm (650afbd, `idl/byreal_clmm.json`)
 * @see https://github.com/hummingbot/gateway (PancakeSwap's connector: "IDL: Same as Raydium CLMM")
 */
export const RAYDIUM = 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK'
export const PANCAKESWAP = 'HpNfyc2Saw7RKkQd8nEL4khUcuPhQ7WwY1B2qjx8jxFq'
export const BYREAL = 'REALQqNEomY6cQGZJUGwywTBD2UmDT32rZcNnfxQ5N2'

/** Places of a swap's accounts that differ; the first version names no mints. */
type SwapMints = Readonly<{ input: number; output: number }> | null

/** What an instruction is to us. Limit orders move the vaults too and are no swaps. */
type ClmmInstruction = 'route' | 'create' | 'other' | Readonly<{ kind: 'swap'; mints: SwapMints }>

const SWAP = { kind: 'swap', mints: null } as const
const SWAP_V2 = { kind: 'swap', mints: { input: 11, output: 12 } } as const

/** Every instruction of the three programs by its discriminator. */
export const INSTRUCTIONS = new DiscriminatorTable<ClmmInstruction>({
  f8c69e91e17587c8: SWAP, // swap
  '2b04ed0b1ac91e62': SWAP_V2, // swap_v2
  e52ed584692828e4: SWAP_V2, // swap_v3_dyn, of Byreal: its oracles follow behind
  '457d73daf5baf2c4': 'route', // swap_router_base_in
  e992d18ecf6840bc: 'create', // create_pool
  '2b44d4a7592fa401': 'create', // create_customizable_pool
  fc9ad2bf16d988fc: 'create', // create_pool_decay_fee, of Byreal
  c357dd958dc39213: 'other', // claim_offchain_reward
  '4c7c800fd55725fa': 'other', // close_limit_order
  '7b86510031446262': 'other', // close_position
  c975989055556cb2: 'other', // close_protocol_position
  a78a4e95dfc2067e: 'other', // collect_fund_fee
  '8888fcddc2427e59': 'other', // collect_protocol_fee
  '12eda6c52210d590': 'other', // collect_remaining_rewards
  '8934edd4d7756c68': 'other', // create_amm_config
  bd0eb5785576e33e: 'other', // create_dynamic_fee_config
  '3f5794216d230868': 'other', // create_operation_account
  '11fb415c88f20ea9': 'other', // create_support_mint_associated
  '759d3c674231a300': 'other', // decrease_limit_order
  a026d06f685b2c01: 'other', // decrease_liquidity
  '3a7fbc3e4f52c460': 'other', // decrease_liquidity_v2
  '617d30a95cf12c8e': 'other', // deposit_offchain_reward
  b19059ecfaba7d63: 'other', // increase_limit_order
  '2e9cf3760dcdfbb2': 'other', // increase_liquidity
  '851d59df45eeb00a': 'other', // increase_liquidity_v2
  d16c20f69dd6ed56: 'other', // init_amm_admin_group
  '5f87c0c4f281e644': 'other', // initialize_reward
  '9d20dab7471d1293': 'other', // open_limit_order
  '87802f4d0f98f031': 'other', // open_position
  '4db84ad67056f1c7': 'other', // open_position_v2
  '4dffae527d1dc92e': 'other', // open_position_with_token22_nft
  '7034a74b20c9d389': 'other', // set_reward_params
  cd4e74215c691a60: 'other', // settle_limit_order
  '07160c53f22b3079': 'other', // transfer_reward_owner
  '3db7b9bc52518dc5': 'other', // update_amm_admin_group
  '313cae889a1c74c8': 'other', // update_amm_config
  '0707500802c784f0': 'other', // update_dynamic_fee_config
  '7f467728bce33d07': 'other', // update_operation_account
  '82576c062ee0757b': 'other', // update_pool_status
  a3ace0340b9a6adf: 'other', // update_reward_infos
  '56353b4cd92647d5': 'other', // withdraw_offchain_reward
  '40f4bc78a7e9690a': 'other', // Anchor's own, which keeps the IDL on the chain
})

/** Places of a swap's accounts. */
export const SWAP_ACCOUNTS = { payer: 0, pool: 2, inputVault: 5, outputVault: 6 } as const

/** Places of the accounts where a pool is made. */
export type CreateAccounts = Readonly<{ pool: number; mint0: number; mint1: number }>
export const CREATE_ACCOUNTS: CreateAccounts = { pool: 2, mint0: 3, mint1: 4 }
export const BYREAL_CREATE_ACCOUNTS: CreateAccounts = { pool: 4, mint0: 6, mint1: 7 }

/**
 * Places in `swap_router_base_in`. From `hops` on each hop has these accounts in a row, and then as many tick
 * arrays as it needs: amm_config, pool, output account, input vault, output vault, output mint, observation.
 */
export const ROUTE_ACCOUNTS = { payer: 0, inputMint: 2, hops: 6 } as const
export const HOP_ACCOUNTS = { pool: 1, inputVault: 3, outputVault: 4, outputMint: 5, count: 7 } as const

/** First 8 bytes of sha256("event:SwapEvent"). */
export const SWAP_EVENT = bytesOfHex('40c6cde8260871e2')

/** A swap as logged. */
type SwapEvent = Readonly<{
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
  // Of a Token-2022 mint it says what reached the other side: what went out was more by the fee that was withheld.
  return {
    pool,
    sender,
    amount0: isZeroForOne ? amount0 : amount0 + fee0,
    amount1: isZeroForOne ? amount1 + fee1 : amount1,
    isZeroForOne,
  }
}

/** First 8 bytes of sha256("event:PoolCreatedEvent"). */
export const POOL_CREATED_EVENT = bytesOfHex('195e4b2f7063353f')

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

/** First 8 bytes of sha256("account:PoolState"). */
const POOL_ACCOUNT = bytesOfHex('f7ede3f5d7c3de46')

/** Both mints of a pool by its account's data; `undefined` when it is no pool. */
export function readPoolAccount(
  data: Uint8Array,
): Readonly<{ mint0: Uint8Array; mint1: Uint8Array }> | undefined {
  if (!holdsAt(data, POOL_ACCOUNT, 0)) return undefined
  const reader = new ByteReader(data, 8 + 1 + 32 + 32) // discriminator, bump, amm_config, owner
  return { mint0: reader.key(), mint1: reader.key() }
}
