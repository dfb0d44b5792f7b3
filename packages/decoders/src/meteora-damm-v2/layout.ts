import { ByteReader } from '../byte-reader.ts'
import { bytesOfHex, DiscriminatorTable } from '../discriminator.ts'

/**
 * Meteora's DAMM v2 (`cp_amm`) in bytes.
 *
 * @see https://github.com/MeteoraAg/damm-v2
 * @see https://www.npmjs.com/package/@meteora-ag/cp-amm-sdk (`CpAmmIdl`, program 0.2.5)
 */
export const PROGRAM_ID = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG'

/** Places of a creation's accounts. */
export type InitializeAccounts = Readonly<{
  pool: number
  mintA: number
  mintB: number
  vaultA: number
  vaultB: number
}>

/** What an instruction is to us. */
type DammV2Instruction = 'swap' | 'other' | InitializeAccounts

const INITIALIZE_POOL: InitializeAccounts = { pool: 6, mintA: 8, mintB: 9, vaultA: 10, vaultB: 11 }
const INITIALIZE_CUSTOMIZABLE_POOL: InitializeAccounts = {
  pool: 5,
  mintA: 7,
  mintB: 8,
  vaultA: 9,
  vaultB: 10,
}
const INITIALIZE_POOL_WITH_DYNAMIC_CONFIG: InitializeAccounts = {
  pool: 7,
  mintA: 9,
  mintB: 10,
  vaultA: 11,
  vaultB: 12,
}

/** Every instruction of the program by its discriminator. */
export const INSTRUCTIONS = new DiscriminatorTable<DammV2Instruction>({
  f8c69e91e17587c8: 'swap', // swap
  '414b3f4ceb5b5b88': 'swap', // swap2
  '5fb40aac54aee828': INITIALIZE_POOL, // initialize_pool
  '14a1f118bdddb402': INITIALIZE_CUSTOMIZABLE_POOL, // initialize_customizable_pool
  '955248c5fdfc440f': INITIALIZE_POOL_WITH_DYNAMIC_CONFIG, // initialize_pool_with_dynamic_config
  b59d59438fb63448: 'other', // add_liquidity
  b4269a118521a2d3: 'other', // claim_position_fee
  ebc23645410aec70: 'other', // claim_protocol_fee2
  '955fb5f25e5a9ea2': 'other', // claim_reward
  '9109489d5f7d3d55': 'other', // close_config
  ab09d54a7817031d: 'other', // close_operator_account
  '7b86510031446262': 'other', // close_position
  '6c92566eb3fe0a68': 'other', // close_token_badge
  c9cff3724b6f2fbd: 'other', // create_config
  '51fb7a4e4239d052': 'other', // create_dynamic_config
  dd40f695f099e5a3: 'other', // create_operator_account
  '30d7c59960cbb485': 'other', // create_position
  '58ce005b3caf9776': 'other', // create_token_badge
  ea5fb0b9072a239f: 'other', // dummy_ix
  '261ed851fab1f3fe': 'other', // fix_config_fee_params
  '846251c42c3a78c1': 'other', // fix_pool_fee_params
  a69e452351a7c8d7: 'other', // fix_pool_layout_version
  bc32f9a55d97263f: 'other', // fund_reward
  '5f87c0c4f281e644': 'other', // initialize_reward
  '481331cc127a175a': 'other', // lock_inner_position
  e33e02fcf70aabb9: 'other', // lock_position
  a5b07d06e7abbad5: 'other', // permanent_lock_position
  '095ed80e74ccf700': 'other', // refresh_vesting
  '0a333d2370691855': 'other', // remove_all_liquidity
  '5055d14818ceb16c': 'other', // remove_liquidity
  '705787df53cc8435': 'other', // set_pool_status
  acf1dd8aa11dfd2a: 'other', // split_position
  dd93e4cf8cd41177: 'other', // split_position2
  afa5384000fb592f: 'other', // update_delegate_permission
  '76d9cbb33c084659': 'other', // update_pool_fees
  '8aaec4a9d5ebfe6b': 'other', // update_reward_duration
  d31c3020d7a02317: 'other', // update_reward_funder
  '7963e05bb20e1684': 'other', // withdraw_dead_liquidity_reward
  '94ce2ac3f7316708': 'other', // withdraw_ineligible_reward
  '61ce27695e5e7e94': 'other', // claim_partner_fee of earlier versions
  a5e4853063f9ff21: 'other', // claim_protocol_fee of earlier versions
  '268652d85f7c1163': 'other', // close_claim_fee_operator of earlier versions
  fa92431fcbd75938: 'other', // close_position_reward of earlier versions
  a93ecf6b3abba26d: 'other', // create_claim_fee_operator of earlier versions
  d59bbb2238b65bf0: 'other', // zap_protocol_fee of earlier versions
  '40f4bc78a7e9690a': 'other', // Anchor's own, which keeps the IDL on the chain
})

/** Places of a swap's accounts, `swap` and `swap2` alike. */
export const SWAP_ACCOUNTS = {
  pool: 1,
  output: 3,
  vaultA: 4,
  vaultB: 5,
  mintA: 6,
  mintB: 7,
  payer: 8,
  referral: 11,
} as const

/** First 8 bytes of sha256("event:EvtSwap2") and, until 2025, of sha256("event:EvtSwap"). */
export const SWAP_EVENT = bytesOfHex('bd4233a826507599')
export const OLD_SWAP_EVENT = bytesOfHex('1b3c15d58aaabb93')

/** A swap from the pool's side, in raw units. */
export type SwapEvent = Readonly<{
  pool: Uint8Array
  /** Whether token A came in. */
  aToB: boolean
  amountIn: bigint
  amountOut: bigint
  /** What belongs to the pool after the swap, waiting fees left out; null where an older program does not say. */
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
