import { ByteReader } from '../../bytes/byte-reader.ts'
import { anchorHex, anchorName, DiscriminatorTable, holdsAt } from '../../bytes/discriminator.ts'
import { isZeroKey } from '../../bytes/key-table.ts'
import { addressOf } from '../../transaction/call-tree.ts'
import type { CreationPlaces } from '../creation.ts'

/**
 * PumpSwap's pools in bytes.
 *
 * @see https://github.com/pump-fun/pump-public-docs/blob/main/idl/pump_amm.json
 */
export const PROGRAM_ID = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'

/** The program's instructions by their meaning to us. */
export const INSTRUCTIONS = {
  buy: 'buy buy_exact_quote_in buy_v2 buy_exact_quote_in_v2',
  sell: 'sell sell_v2',
  multiHop: 'multi_hop_swap',
  createPool: 'create_pool',
  boost: 'boost_buy_and_burn',
  other: `
    admin_cto_pool admin_update_token_incentives claim_cashback claim_token_incentives
    close_user_volume_accumulator collect_coin_creator_fee create_config deposit disable extend_account
    init_boost init_user_volume_accumulator migrate_pool_coin_creator set_boost_authority set_coin_creator
    set_reserved_fee_recipients sweep_creator_fee sweep_protocol_fee sync_user_volume_accumulator
    toggle_boost toggle_cashback_enabled toggle_mayhem_mode transfer_creator_fees_to_pump
    transfer_creator_fees_to_pump_v2 update_admin update_buyback_config update_creator_fee_config
    update_fee_config withdraw set_bonding_curve_coin_creator set_metaplex_coin_creator
    admin_set_coin_creator`,
} as const

/** Indexes of accounts specific to a trade and a creation. */
export const TRADE_ACCOUNTS = {
  pool: 0,
  user: 1,
  baseMint: 3,
  quoteMint: 4,
  baseVault: 7,
  quoteVault: 8,
} as const
/** multi_hop_swap adds five accounts for each pool or curve after its own, in the order of the route. */
export const MULTI_HOP = {
  user: 0,
  firstHop: 16,
  accountsPerHop: 5,
  /** Indexes within a hop's five. */
  baseMint: 0,
  quoteMint: 1,
  pool: 2,
  baseVault: 3,
  quoteVault: 4,
} as const
export const CREATE: CreationPlaces = {
  pool: 0,
  base: { mint: 3, vault: 9 },
  quote: { mint: 4, vault: 10 },
}
export const BOOST_ACCOUNTS = {
  pool: 0,
  authority: 1,
  baseMint: 3,
  quoteMint: 4,
  baseVault: 5,
  quoteVault: 6,
} as const

export const BUY_EVENT = anchorName('event:BuyEvent')
export const SELL_EVENT = anchorName('event:SellEvent')
const POOL_ACCOUNT = anchorName('account:Pool')

/** Reads both mints of a pool from its account's data; `undefined` when it is no pool. */
export function readPoolAccount(
  data: Uint8Array,
): Readonly<{ baseMint: Uint8Array; quoteMint: Uint8Array }> | undefined {
  if (!holdsAt(data, POOL_ACCOUNT, 0)) return undefined
  const reader = new ByteReader(data, 8 + 1 + 2 + 32) // discriminator, pool_bump, index, creator
  return { baseMint: reader.key(), quoteMint: reader.key() }
}

/** Both events by name. */
export const TRADE_EVENTS = new DiscriminatorTable<'buy' | 'sell'>({
  [anchorHex('event:BuyEvent')]: 'buy',
  [anchorHex('event:SellEvent')]: 'sell',
})
export const CREATE_POOL_EVENT = anchorName('event:CreatePoolEvent')
export const BOOST_EVENT = anchorName('event:BoostBuyAndBurnEvent')

/** A buy or a sell of the program's base. Later versions append fields after the fee recipient's account. */
export type TradeEvent = Readonly<{
  baseAmount: bigint
  /** The amount exchanged with the pool's reserves: includes its own fee, but not those of others. */
  quoteAmount: bigint
  /** Raw units in the vaults before the trade, including the fees waiting there. */
  baseReserveBefore: bigint
  quoteReserveBefore: bigint
  /** Added to the vault's balance, it gives the reserve that sets the price; may be negative. 0 before 2026. */
  virtualQuoteReserve: bigint
  pool: Uint8Array
}>

/**
 * BuyEvent and SellEvent have the same layout up to `coin_creator_fee`. `body` follows the discriminator.
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

/** Reads the trader and time from a {@link TradeEvent}'s body, which the instruction and the block have too. */
export function readTradeOrigin(body: Uint8Array): Readonly<{ user: Uint8Array; timestamp: bigint }> {
  const timestamp = new ByteReader(body).u64()
  return { timestamp, user: new ByteReader(body, 144).key() }
}

/** Returns the quote reserve that sets the price after a trade in which the pool took in `moved`. */
export function quoteReserveAfter(event: TradeEvent, moved: bigint): bigint {
  return event.quoteReserveBefore + event.virtualQuoteReserve + moved
}

/** Sizes of a BuyEvent's fields between `coin_creator_fee` and `ix_name`, each optional with all that follow. */
const BUY_TAIL = [1 + 4 * 8, 8] as const
/** Sizes of both events' fields from there to `virtual_quote_reserves`. */
const COMMON_TAIL = [2 * 8, 2 * 8] as const

/** Skips from the fee recipient's account on; false for a version that ends before. */
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
 * Returns the fees of a trade that went into the quote vault, or stayed there, and are not the pool's: protocol's and
 * creator's, without what was paid at once for a buyback. 0 for a trade that paid them to a named recipient.
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
  /** Who made the pool; in a migration the launchpad's own authority. */
  poolCreator: Uint8Array
  /** Null if the event names none. */
  coinCreator: Uint8Array | null
  /** Whether pump.fun's own agent trades this coin; false if the event does not say. */
  isMayhem: boolean
  /** Unix seconds. */
  timestamp: bigint
}>

/** `body` follows the discriminator. @throws TruncatedError when it ends before the user's accounts (293 bytes). */
export function readCreatePoolEvent(body: Uint8Array): CreatePoolEvent {
  const reader = new ByteReader(body)
  const timestamp = reader.u64()
  reader.skip(2) // index
  const poolCreator = reader.key()
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
  const coinCreator = reader.ended ? null : reader.key()
  const isMayhem = reader.ended ? false : reader.bool()
  return {
    baseMint,
    quoteMint,
    baseDecimals,
    quoteDecimals,
    poolBaseAmount,
    poolQuoteAmount,
    pool,
    poolCreator,
    coinCreator: coinCreator && !isZeroKey(coinCreator) ? coinCreator : null,
    isMayhem,
    timestamp,
  }
}

/** Returns the creator that the event names: the coin's, else the pool's, unless a migration made it. */
export function creatorOf({ coinCreator, poolCreator }: CreatePoolEvent, isMigrated: boolean) {
  const creator = coinCreator ?? (isMigrated ? null : poolCreator)
  return creator === null ? undefined : addressOf(creator)
}

/** The pool's own purchase from its boost vault: quote goes in, base comes out and is burned. */
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
