import { ByteReader } from '../byte-reader.ts'
import { bytesOfHex, DiscriminatorTable, holdsAt } from '../discriminator.ts'
import { isZeroKey } from '../key-table.ts'

/**
 * PumpSwap's pools in bytes.
 *
 * @see https://github.com/pump-fun/pump-public-docs/blob/main/idl/pump_amm.json
 */
export const PROGRAM_ID = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'

/** What an instruction is to us. */
type PumpswapInstruction = 'buy' | 'sell' | 'multi_hop' | 'create_pool' | 'boost' | 'other'

/** Every instruction of the program by its discriminator. */
export const INSTRUCTIONS = new DiscriminatorTable<PumpswapInstruction>({
  '66063d1201daebea': 'buy',
  c62e1552b4d9e870: 'buy', // buy_exact_quote_in
  '33e685a4017f83ad': 'sell',
  b817ee6167c5d33d: 'buy', // buy_v2
  c2ab1c46684d5b2f: 'buy', // buy_exact_quote_in_v2
  '5df6823ce7e940b2': 'sell', // sell_v2
  '2b644913e9f66f94': 'multi_hop', // multi_hop_swap
  e992d18ecf6840bc: 'create_pool',
  '694406af000723a2': 'boost', // boost_buy_and_burn
  '2d3da597680031bd': 'other', // admin_cto_pool
  d10b7357d5177ccc: 'other', // admin_update_token_incentives
  '253a237ebe35e4c5': 'other', // claim_cashback
  '1004471ccc01281b': 'other', // claim_token_incentives
  f945a4da9667548a: 'other', // close_user_volume_accumulator
  a039592ab58b2b42: 'other', // collect_coin_creator_fee
  c9cff3724b6f2fbd: 'other', // create_config
  f223c68952e1f2b6: 'other', // deposit
  b9adbb5ad80feee9: 'other', // disable
  ea66c2cb96483ee5: 'other', // extend_account
  '8ce9215e845ac28f': 'other', // init_boost
  '5e06ca73ff60e8b7': 'other', // init_user_volume_accumulator
  d0089f044aaf103a: 'other', // migrate_pool_coin_creator
  e3954c2a8227eacd: 'other', // set_boost_authority
  d295802dbc3a4eaf: 'other', // set_coin_creator
  '6faca2e87259d58e': 'other', // set_reserved_fee_recipients
  '20f6bf3408c949ba': 'other', // sweep_creator_fee
  '0830be07b644b7e5': 'other', // sweep_protocol_fee
  '561fc057a3574fee': 'other', // sync_user_volume_accumulator
  '75a1a04adf897663': 'other', // toggle_boost
  '7367e0ffbd5956c3': 'other', // toggle_cashback_enabled
  '01096fd0641fffa3': 'other', // toggle_mayhem_mode
  '8b348655e4e56cf1': 'other', // transfer_creator_fees_to_pump
  '01214eb921432c5c': 'other', // transfer_creator_fees_to_pump_v2
  a1b028d53cb8b3e4: 'other', // update_admin
  fbe0ab92a01a71e9: 'other', // update_buyback_config
  '3dafa0f9424288af': 'other', // update_creator_fee_config
  '68b867f258976b14': 'other', // update_fee_config
  b712469c946da122: 'other', // withdraw
  '387af65233dc1395': 'other', // set_bonding_curve_coin_creator, of earlier versions
  '3fe3b195e9ad44f5': 'other', // set_metaplex_coin_creator, of earlier versions
  f228759149606968: 'other', // admin_set_coin_creator, of earlier versions
  '40f4bc78a7e9690a': 'other', // Anchor's own, which keeps the IDL on the chain
})

/** Places of accounts that a trade and a creation share with nothing else. */
export const TRADE_ACCOUNTS = {
  pool: 0,
  user: 1,
  baseMint: 3,
  quoteMint: 4,
  baseVault: 7,
  quoteVault: 8,
} as const
/** multi_hop_swap names after its own accounts five for each pool or curve, in the order of the route. */
export const MULTI_HOP = {
  user: 0,
  firstHop: 16,
  accountsPerHop: 5,
  /** Places within a hop's five. */
  baseMint: 0,
  quoteMint: 1,
  pool: 2,
  baseVault: 3,
  quoteVault: 4,
} as const
export const CREATE_ACCOUNTS = { pool: 0, baseMint: 3, quoteMint: 4, baseVault: 9, quoteVault: 10 } as const
export const BOOST_ACCOUNTS = {
  pool: 0,
  authority: 1,
  baseMint: 3,
  quoteMint: 4,
  baseVault: 5,
  quoteVault: 6,
} as const

/** First 8 bytes of sha256("event:BuyEvent"). */
export const BUY_EVENT = bytesOfHex('67f4521f2cf57777')
/** First 8 bytes of sha256("event:SellEvent"). */
export const SELL_EVENT = bytesOfHex('3e2f370aa503dc2a')
/** First 8 bytes of sha256("account:Pool"). */
const POOL_ACCOUNT = bytesOfHex('f19a6d0411b16dbc')

/** Both mints of a pool by its account's data; `undefined` when it is no pool. */
export function readPoolAccount(
  data: Uint8Array,
): Readonly<{ baseMint: Uint8Array; quoteMint: Uint8Array }> | undefined {
  if (!holdsAt(data, POOL_ACCOUNT, 0)) return undefined
  const reader = new ByteReader(data, 8 + 1 + 2 + 32) // discriminator, pool_bump, index, creator
  return { baseMint: reader.key(), quoteMint: reader.key() }
}

/** Both by their discriminators. */
export const TRADE_EVENTS = new DiscriminatorTable<'buy' | 'sell'>({
  '67f4521f2cf57777': 'buy',
  '3e2f370aa503dc2a': 'sell',
})
/** First 8 bytes of sha256("event:CreatePoolEvent"). */
export const CREATE_POOL_EVENT = bytesOfHex('b1310cd2a076a774')
/** First 8 bytes of sha256("event:BoostBuyAndBurnEvent"). */
export const BOOST_EVENT = bytesOfHex('3f451c16305cc2b9')

/** A buy or a sell, of the program's base. Later versions append fields after the fee recipient's account. */
export type TradeEvent = Readonly<{
  baseAmount: bigint
  /** What was exchanged with the pool's reserves: its own fee is inside, fees of others are not. */
  quoteAmount: bigint
  /** Raw units in the vaults before the trade, with the fees that wait there. */
  baseReserveBefore: bigint
  quoteReserveBefore: bigint
  /** Added to what the vault holds it gives the reserve that makes the price; also below zero. 0 before 2026. */
  virtualQuoteReserve: bigint
  pool: Uint8Array
}>

/**
 * BuyEvent and SellEvent have the same widths in the same places up to `coin_creator_fee`. `body` follows the
 * discriminator.
 *
 * @throws TruncatedError when it ends before the shortest version did (304 bytes, spring 2025), or inside a field.
 */
export function readTradeEvent(body: Uint8Array, isBuy: boolean): TradeEvent {
  const reader = new ByteReader(body)
  reader.skip(8) // timestamp
  const baseAmount = reader.u64()
  reader.skip(8 + 8 + 8) // limit, user_base_token_reserves, user_quote_token_reserves
  const baseReserveBefore = reader.u64()
  const quoteReserveBefore = reader.u64()
  reader.skip(8 + 4 * 8) // quote amount without fees, lp and protocol fee with their basis points
  const quoteAmount = reader.u64()
  reader.skip(8) // user_quote_amount
  const pool = reader.key()
  reader.skip(5 * 32) // user, the user's accounts, the fee recipient and its account
  const virtualQuoteReserve = skipToVirtualReserve(reader, isBuy) ? reader.i128() : 0n
  return { baseAmount, quoteAmount, baseReserveBefore, quoteReserveBefore, virtualQuoteReserve, pool }
}

/** Who traded and when, of a {@link TradeEvent}'s body: what the instruction and the block say too. */
export function readTradeOrigin(body: Uint8Array): Readonly<{ user: Uint8Array; timestamp: bigint }> {
  const timestamp = new ByteReader(body).u64()
  return { timestamp, user: new ByteReader(body, 144).key() }
}

/** The reserve of the quote that makes the price, after a trade in which the pool took in `moved`. */
export function quoteReserveAfter(event: TradeEvent, moved: bigint): bigint {
  return event.quoteReserveBefore + event.virtualQuoteReserve + moved
}

/** Widths of the fields of a BuyEvent between `coin_creator_fee` and `ix_name`, each optional with all that follow. */
const BUY_TAIL = [1 + 4 * 8, 8] as const
/** Widths of the fields of both from there to `virtual_quote_reserves`. */
const COMMON_TAIL = [2 * 8, 2 * 8] as const

/** From the fee recipient's account on; false for a version that ends before. */
function skipToVirtualReserve(reader: ByteReader, isBuy: boolean): boolean {
  if (reader.ended) return false
  reader.skip(32 + 8 + 8) // coin_creator, its fee and basis points
  if (isBuy) {
    for (const width of BUY_TAIL) {
      if (reader.ended) return false
      reader.skip(width)
    }
    if (reader.ended) return false
    reader.skip(reader.u32()) // ix_name
  }
  for (const width of COMMON_TAIL) {
    if (reader.ended) return false
    reader.skip(width)
  }
  return !reader.ended
}

/**
 * The fees of a trade that went into the vault of the quote, or stayed there, without being the pool's: of protocol
 * and creator, but for what went out at once to buy back. 0 for a trade that paid them out, which names a recipient.
 *
 * @throws TruncatedError as {@link readTradeEvent} does, which has read the event before.
 */
export function readKeptFees(body: Uint8Array, isBuy: boolean): bigint {
  const reader = new ByteReader(body, 88)
  const protocolFee = reader.u64()
  reader.skip(8 + 8 + 4 * 32) // both quote amounts; pool, user and the user's accounts
  if (!isZeroKey(reader.key())) return 0n
  reader.skip(32 + 32 + 8) // the recipient's account; coin_creator and its basis points
  const creatorFee = reader.u64()
  const buybackFee = new ByteReader(body, isBuy ? 393 : 352)
  if (isBuy) buybackFee.skip(buybackFee.u32()) // ix_name
  buybackFee.skip(3 * 8) // cashback, its basis points and those of buying back
  return protocolFee + creatorFee - buybackFee.u64()
}

/** A pool's creation. */
export type CreatePoolEvent = Readonly<{
  baseMint: Uint8Array
  quoteMint: Uint8Array
  baseDecimals: number
  quoteDecimals: number
  /** Raw units in the new vaults. */
  poolBaseAmount: bigint
  poolQuoteAmount: bigint
  pool: Uint8Array
  /** Whether pump.fun's own agent trades this coin; false where the event does not say. */
  isMayhem: boolean
  /** Unix seconds. */
  timestamp: bigint
}>

/** `body` follows the discriminator. @throws TruncatedError when it ends before the user's accounts (293 bytes). */
export function readCreatePoolEvent(body: Uint8Array): CreatePoolEvent {
  const reader = new ByteReader(body)
  const timestamp = reader.u64()
  reader.skip(2 + 32) // index, creator
  const baseMint = reader.key()
  const quoteMint = reader.key()
  const baseDecimals = reader.u8()
  const quoteDecimals = reader.u8()
  reader.skip(8 + 8) // base_amount_in, quote_amount_in
  const poolBaseAmount = reader.u64()
  const poolQuoteAmount = reader.u64()
  reader.skip(3 * 8 + 1) // minimum_liquidity, initial_liquidity, lp_token_amount_out, pool_bump
  const pool = reader.key()
  reader.skip(3 * 32) // lp_mint and the user's two accounts
  if (!reader.ended) reader.skip(32) // coin_creator
  const isMayhem = reader.ended ? false : reader.bool()
  return {
    baseMint,
    quoteMint,
    baseDecimals,
    quoteDecimals,
    poolBaseAmount,
    poolQuoteAmount,
    pool,
    isMayhem,
    timestamp,
  }
}

/** The pool's own purchase out of its boost vault: quote goes in, base comes out and is burned. */
type BoostEvent = Readonly<{
  /** Unix seconds. */
  timestamp: bigint
  pool: Uint8Array
  authority: Uint8Array
  quoteAmount: bigint
  baseAmount: bigint
  virtualQuoteReserve: bigint
  /** Raw units in the vaults after it. */
  quoteReserve: bigint
  baseReserve: bigint
}>

/** `body` follows the discriminator. @throws TruncatedError when it ends before `base_reserves_after`. */
export function readBoostEvent(body: Uint8Array): BoostEvent {
  const reader = new ByteReader(body)
  const timestamp = reader.u64()
  reader.skip(32 + 32) // mint, bonding_curve
  const pool = reader.key()
  const authority = reader.key()
  reader.skip(8) // quote_amount_in_requested
  const quoteAmount = reader.u64()
  const baseAmount = reader.u64()
  const virtualQuoteReserve = reader.i128()
  const quoteReserve = reader.u64()
  const baseReserve = reader.u64()
  return {
    timestamp,
    pool,
    authority,
    quoteAmount,
    baseAmount,
    virtualQuoteReserve,
    quoteReserve,
    baseReserve,
  }
}
