import { ByteReader, TruncatedError } from '../../bytes/byte-reader.ts'
import { anchorName } from '../../bytes/discriminator.ts'
import type { VaultTrade } from '../vault-trade.ts'

/**
 * Meteora's DAMM v2 (`cp_amm`) in bytes.
 *
 * @see https://github.com/MeteoraAg/damm-v2
 * @see https://www.npmjs.com/package/@meteora-ag/cp-amm-sdk (`CpAmmIdl`, program 0.2.5)
 */
export const PROGRAM_ID = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG'

/** The program's instructions by their meaning to us. */
export const INSTRUCTIONS = {
  swap: 'swap swap2',
  initialize: 'initialize_pool',
  initializeCustomizable: 'initialize_customizable_pool',
  initializeWithDynamicConfig: 'initialize_pool_with_dynamic_config',
  other: `
    add_liquidity claim_position_fee claim_protocol_fee2 claim_reward close_config close_operator_account
    close_position close_token_badge create_config create_dynamic_config create_operator_account
    create_position create_token_badge dummy_ix fix_config_fee_params fix_pool_fee_params
    fix_pool_layout_version fund_reward initialize_reward lock_inner_position lock_position
    permanent_lock_position refresh_vesting remove_all_liquidity remove_liquidity set_pool_status
    split_position split_position2 update_delegate_permission update_pool_fees update_reward_duration
    update_reward_funder withdraw_dead_liquidity_reward withdraw_ineligible_reward claim_partner_fee
    claim_protocol_fee close_claim_fee_operator close_position_reward create_claim_fee_operator
    zap_protocol_fee`,
} as const

/** Indexes of a swap's accounts, for both `swap` and `swap2`. */
export const SWAP: VaultTrade = {
  pool: 1,
  authority: 8,
  base: { vault: 4, mint: 6 },
  quote: { vault: 5, mint: 7 },
  output: 3,
  referral: 11,
}

/** Index of a creation's creator, the launchpad's own authority in a migration. */
export const CREATOR = 0
/** Indexes of its other accounts: the pool, and the first of both mints and both vaults in a row. */
export const INITIALIZE_POOL = initializePlaces(6, 8)
export const INITIALIZE_CUSTOMIZABLE_POOL = initializePlaces(5, 7)
export const INITIALIZE_POOL_WITH_DYNAMIC_CONFIG = initializePlaces(7, 9)
export type InitializePlaces = ReturnType<typeof initializePlaces>

function initializePlaces(pool: number, mints: number) {
  return {
    pool,
    base: { mint: mints, vault: mints + 2 },
    quote: { mint: mints + 1, vault: mints + 3 },
  }
}

export const SWAP_EVENT = anchorName('event:EvtSwap2')
/** Used until 2025. */
export const OLD_SWAP_EVENT = anchorName('event:EvtSwap')

/** A swap from the pool's side, in raw units. */
export type SwapEvent = Readonly<{
  pool: Uint8Array
  /** Whether token A came in. */
  aToB: boolean
  amountIn: bigint
  amountOut: bigint
  /** The pool's own reserve after the swap, without waiting fees; null if an older program does not report it. */
  reserveA: bigint | null
  reserveB: bigint | null
}>

/** `body` follows the discriminator. @throws TruncatedError when it ends too early. */
export function readSwapEvent(body: Uint8Array): SwapEvent {
  const reader = new ByteReader(body)
  const pool = reader.key()
  const aToB = reader.u8() === 0
  reader.skip(1 + 1 + 17) // collect_fee_mode, has_referral, params
  const amountIn = reader.u64()
  reader.skip(8 + 8) // excluded_fee_input_amount, amount_left
  const amountOut = reader.u64()
  reader.skip(16 + 8 * 4) // next_sqrt_price and four fees
  reader.skip(8 * 4) // three amounts with transfer fees, current_timestamp
  return { pool, aToB, amountIn, amountOut, reserveA: reader.u64(), reserveB: reader.u64() }
}

/** The event of the program's first versions. @throws TruncatedError when it ends too early. */
export function readOldSwapEvent(body: Uint8Array): SwapEvent {
  const reader = new ByteReader(body)
  const pool = reader.key()
  const aToB = reader.u8() === 0
  reader.skip(1 + 16) // has_referral, params
  const amountOut = reader.u64()
  reader.skip(16 + 8 * 4) // next_sqrt_price and four fees
  return { pool, aToB, amountIn: reader.u64(), amountOut, reserveA: null, reserveB: null }
}

export const CREATION_EVENT = anchorName('event:EvtInitializePool')

/** Bytes from the amounts to the end of the event: two with and two without the mints' fees, and the kind of the pool. */
const CREATION_TAIL_BYTES = 4 * 8 + 1

/**
 * Raw units that the vaults of a new pool got. The fees before them differ in size between builds. `body` follows the
 * discriminator. @throws TruncatedError when it is shorter than that.
 */
export function readCreationEvent(body: Uint8Array): Readonly<{ amountA: bigint; amountB: bigint }> {
  if (body.length < CREATION_TAIL_BYTES) throw new TruncatedError()
  const reader = new ByteReader(body, body.length - CREATION_TAIL_BYTES)
  return { amountA: reader.u64(), amountB: reader.u64() }
}
