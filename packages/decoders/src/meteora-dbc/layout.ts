import { ByteReader } from '../byte-reader.ts'
import { bytesOfHex, DiscriminatorTable, holdsAt } from '../discriminator.ts'

/**
 * Meteora's Dynamic Bonding Curve in bytes.
 *
 * @see https://github.com/MeteoraAg/dynamic-bonding-curve
 * @see https://www.npmjs.com/package/@meteora-ag/dynamic-bonding-curve-sdk (`DynamicBondingCurveIdl`, program 0.2.1)
 */
export const PROGRAM_ID = 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN'

/** What an instruction is to us; a creation by the place of who pays for it, the one that differs. */
type DbcInstruction = 'swap' | 'other' | Readonly<{ payer: number }>

const INITIALIZE_SPL = { payer: 10 }
const INITIALIZE_2022 = { payer: 8 }
const INITIALIZE_2022_HOOK = { payer: 9 }

/** Every instruction of the program by its discriminator. */
export const INSTRUCTIONS = new DiscriminatorTable<DbcInstruction>({
  f8c69e91e17587c8: 'swap', // swap
  '414b3f4ceb5b5b88': 'swap', // swap2
  b75d992818e6c297: 'swap', // swap2_with_transfer_hook
  '8c55d7b06636684f': INITIALIZE_SPL, // initialize_virtual_pool_with_spl_token
  a976334e916edc9b: INITIALIZE_2022, // initialize_virtual_pool_with_token2022
  b60de9b12a918702: INITIALIZE_2022_HOOK, // initialize_virtual_pool_with_token2022_transfer_hook
  '52dcfabd03556b2d': 'other', // claim_creator_trading_fee
  eef7d55e6e91588e: 'other', // claim_creator_trading_fee2
  faee1a048b0a65f8: 'other', // claim_partner_pool_creation_fee
  ebc23645410aec70: 'other', // claim_protocol_fee2
  '72cd53bcf0991936': 'other', // claim_protocol_pool_creation_fee
  '08ec5931987db151': 'other', // claim_trading_fee
  '54bf473209a237c1': 'other', // claim_trading_fee2
  '082957235030791a': 'other', // close_claim_protocol_fee_operator
  ab09d54a7817031d: 'other', // close_operator_account
  '6c92566eb3fe0a68': 'other', // close_token_badge
  c9cff3724b6f2fbd: 'other', // create_config
  d825013958e21929: 'other', // create_config_with_transfer_hook
  a75a899a4b2f1154: 'other', // create_locker
  dd40f695f099e5a3: 'other', // create_operator_account
  c0a8eabfbce2e3ff: 'other', // create_partner_metadata
  '58ce005b3caf9776': 'other', // create_token_badge
  '2d61bb67fe6d7c86': 'other', // create_virtual_pool_metadata
  a50389071c864c50: 'other', // creator_withdraw_surplus
  '1b013016b43f76d9': 'other', // migrate_meteora_damm
  '8b85021e5b917f9a': 'other', // migrate_meteora_damm_claim_lp_token
  b137ee9dfb58a52a: 'other', // migrate_meteora_damm_lock_lp_token
  '9ca9e66735e45040': 'other', // migration_damm_v2
  '6dbd1324c3b7de52': 'other', // migration_damm_v2_create_metadata
  '2f5e7e73dde2c285': 'other', // migration_meteora_damm_create_metadata
  a8ad4864c962265c: 'other', // partner_withdraw_surplus
  '1407a9213a93a621': 'other', // transfer_pool_creator
  '14c6caedebf3b742': 'other', // withdraw_leftover
  ed8e2d178106dea2: 'other', // withdraw_migration_fee
  f63312de502aeccd: 'other', // claim_pool_creation_fee of earlier versions
  a5e4853063f9ff21: 'other', // claim_protocol_fee of earlier versions
  '268652d85f7c1163': 'other', // close_claim_fee_operator of earlier versions
  a93ecf6b3abba26d: 'other', // create_claim_fee_operator of earlier versions
  '5ab3501e76128c16': 'other', // initialize_virtual_pool_with_dynamic_config of earlier versions
  '3688e18aacb6d6a7': 'other', // protocol_withdraw_surplus of earlier versions
  '88d06f025a7dc516': 'other', // withdraw_protocol_leftover of earlier versions
  d59bbb2238b65bf0: 'other', // zap_protocol_fee of earlier versions
  '40f4bc78a7e9690a': 'other', // Anchor's own, which keeps the IDL on the chain
})

/** Places of a swap's accounts, of all its versions alike. */
export const SWAP_ACCOUNTS = {
  config: 1,
  pool: 2,
  output: 4,
  baseVault: 5,
  quoteVault: 6,
  baseMint: 7,
  quoteMint: 8,
  payer: 9,
  referral: 12,
} as const
/** Places of a creation's accounts. */
export const INITIALIZE_ACCOUNTS = {
  config: 0,
  creator: 2,
  baseMint: 3,
  quoteMint: 4,
  pool: 5,
  baseVault: 6,
} as const
/** Places in `create_config`; what follows the program's own eight accounts is the caller's. */
export const CREATE_CONFIG_ACCOUNTS = { config: 0, extra: 8 } as const

const CREATE_CONFIG = bytesOfHex('c9cff3724b6f2fbd')

/** Whether `data` are those of `create_config`. */
export function isCreateConfig(data: Uint8Array): boolean {
  return holdsAt(data, CREATE_CONFIG, 0)
}

/**
 * First 8 bytes of sha256 of "event:EvtSwap2", "event:EvtSwap2WithTransferHook" and "event:EvtSwap". A swap of 2025
 * and later sends the old one and the new one, which tell of the same.
 */
export const SWAP_EVENT = bytesOfHex('bd4233a826507599')
export const HOOKED_SWAP_EVENT = bytesOfHex('863ba8785e3372e7')
export const OLD_SWAP_EVENT = bytesOfHex('1b3c15d58aaabb93')

/** A swap from the curve's side, in raw units. */
export type SwapEvent = Readonly<{
  pool: Uint8Array
  isBuy: boolean
  amountIn: bigint
  amountOut: bigint
  /** Of the curve after the swap, fees left out; null where an older program does not say. */
  quoteReserve: bigint | null
}>

/** `body` follows the discriminator. @throws TruncatedError when it ends too early. */
export function readSwapEvent(body: Uint8Array): SwapEvent {
  const reader = new ByteReader(body)
  const pool = reader.key()
  reader.skip(32) // config
  const isBuy = reader.u8() === 1
  reader.skip(1 + 17) // has_referral, swap_parameters
  const amountIn = reader.u64()
  reader.skip(8 + 8) // excluded_fee_input_amount, amount_left
  const amountOut = reader.u64()
  reader.skip(16 + 8 * 3) // next_sqrt_price and three fees
  return { pool, isBuy, amountIn, amountOut, quoteReserve: reader.u64() }
}

/** The event of the program's first versions. @throws TruncatedError when it ends too early. */
export function readOldSwapEvent(body: Uint8Array): SwapEvent {
  const reader = new ByteReader(body)
  const pool = reader.key()
  reader.skip(32) // config
  const isBuy = reader.u8() === 1
  reader.skip(1 + 16 + 8) // has_referral, params, actual_input_amount
  const amountOut = reader.u64()
  reader.skip(16 + 8 * 3) // next_sqrt_price and three fees
  return { pool, isBuy, amountIn: reader.u64(), amountOut, quoteReserve: null }
}

/** What the creator says of the token. */
type Launch = Readonly<{ name: string; symbol: string; uri: string }>

/** `data` of a creation, discriminator included. @throws TruncatedError when it ends too early. */
export function readLaunch(data: Uint8Array): Launch {
  const reader = new ByteReader(data, 8)
  return { name: reader.string(), symbol: reader.string(), uri: reader.string() }
}
