import { type Launchpad, WRAPPED_SOL } from '@pairwire/contract'
import { ByteReader } from '../../bytes/byte-reader.ts'
import { anchorHex, anchorName, DiscriminatorTable } from '../../bytes/discriminator.ts'
import { isZeroKey } from '../../bytes/key-table.ts'
import type { CurveState } from '../../decoded.ts'
import type { CreationSide, PoolCreation } from '../../decoder.ts'
import { addressOf } from '../../transaction/call-tree.ts'

/**
 * pump.fun's bonding curve in bytes.
 *
 * @see https://github.com/pump-fun/pump-public-docs/blob/main/idl/pump.json
 */
export const PROGRAM_ID = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'

/** Indexes of a trade's accounts, which stay the same while programs append to the list. */
export type TradeAccounts = Readonly<{
  mint: number
  curve: number
  baseVault: number
  quoteVault: number | null
  user: number
}>

/** buy, sell and buy_exact_sol_in: SOL moves as lamports, so there is no quote vault. */
export const TRADE: TradeAccounts = { mint: 2, curve: 3, baseVault: 4, quoteVault: null, user: 6 }
/** The v2 instructions name both mints and both vaults. */
export const TRADE_V2: TradeAccounts = { mint: 1, curve: 10, baseVault: 11, quoteVault: 12, user: 13 }
/** So do the v3 ones, which leave their fees in the curve; for a coin quoted in SOL the vault need not exist. */
export const TRADE_V3: TradeAccounts = { mint: 1, curve: 5, baseVault: 6, quoteVault: 7, user: 8 }

/** multi_hop_curve_swap adds five accounts for each curve after its own, in the order of the route. */
export const MULTI_HOP = {
  user: 3,
  firstCurve: 13,
  accountsPerCurve: 5,
  /** Indexes within a curve's five. */
  mint: 0,
  curve: 2,
  baseVault: 3,
  quoteVault: 4,
} as const

/** Indexes of a creation's accounts. */
export const CREATE = { pool: 2, base: { mint: 0, vault: 3 } } as const

/** The program's instructions by their meaning to us. */
export const INSTRUCTIONS = {
  create: 'create create_v2',
  trade: 'buy sell buy_exact_sol_in',
  tradeV2: 'buy_v2 sell_v2 buy_exact_quote_in_v2',
  tradeV3: 'buy_v3 buy_exact_quote_in_v3 sell_v3',
  multiHop: 'multi_hop_curve_swap',
  other: `
    migrate migrate_v2 add_quote_control_mint add_quote_mint admin_cto admin_set_idl_authority
    admin_update_token_incentives claim_cashback claim_cashback_v2 claim_token_incentives
    close_user_volume_accumulator collect_creator_fee collect_creator_fee_v2 distribute_creator_fees
    distribute_creator_fees_v2 distribute_fee_to_holders extend_account get_minimum_distributable_fee
    init_user_volume_accumulator initialize initialize_quote_control migrate_bonding_curve_creator
    remove_quote_control_mint remove_quote_mint set_creator set_mayhem_virtual_params set_metaplex_creator
    set_params set_quote_control_admin set_quote_control_mint_reserves set_quote_control_reserves_admin
    set_reserved_fee_recipients set_virtual_quote_reserves sweep_creator_fee sweep_protocol_fee
    sync_user_volume_accumulator toggle_cashback_enabled toggle_create_v2 toggle_mayhem_mode
    update_buyback_config update_creator_fee_config update_global_authority update_holder_reward_config
    withdraw admin_set_creator set_bonding_curve_creator admin_set_coin_creator`,
} as const

export const CREATE_EVENT = anchorName('event:CreateEvent')
export const TRADE_EVENT = anchorName('event:TradeEvent')
export const POST_COMPLETE_BUY_EVENT = anchorName('event:PostCompleteBuyEvent')
/** Both events by name. */
export const TRADE_EVENTS = new DiscriminatorTable<'trade' | 'post_complete_buy'>({
  [anchorHex('event:TradeEvent')]: 'trade',
  [anchorHex('event:PostCompleteBuyEvent')]: 'post_complete_buy',
})

/** Decimals of every coin of the program. */
export const COIN_DECIMALS = 6

/** A trade as the curve counts it, without fees. Later versions append fields; older events are shorter. */
export type TradeEvent = Readonly<{
  mint: Uint8Array
  /** Lamports that the curve took in or gave out; 0 for a coin quoted in another token. */
  solAmount: bigint
  tokenAmount: bigint
  isBuy: boolean
  /** What makes the price after the trade; the lamports are 0 for a coin quoted in another token. */
  virtualSolReserves: bigint
  virtualTokenReserves: bigint
  /** Lamports in the curve after the trade. */
  realSolReserves: bigint
  /** Raw tokens that the curve has left to sell after the trade. */
  realTokenReserves: bigint
  /** Whether the program's own agent trades this coin; false if the event does not say. */
  isMayhem: boolean
  /** Since 2026. */
  quote: Readonly<{
    /** All zeros for SOL. */
    mint: Uint8Array
    amount: bigint
    virtualReserves: bigint
    realReserves: bigint
  }> | null
}>

/** Sizes of the fixed fields between `real_token_reserves` and `ix_name`, each optional with all that follow. */
const TRADE_TAIL = [32, 8, 8, 32, 8, 8, 1, 8, 8, 8, 8] as const
/** Sizes of the fields between `mayhem_mode` and `shareholders`. */
const TRADE_TAIL_AFTER_MAYHEM = [8, 8, 8, 8] as const
/** A shareholder's address and share in basis points. */
const SHAREHOLDER_BYTES = 34

/** `body` follows the discriminator. @throws TruncatedError when it ends inside a field. */
export function readTradeEvent(body: Uint8Array): TradeEvent {
  const reader = new ByteReader(body)
  const mint = reader.key()
  const solAmount = reader.u64()
  const tokenAmount = reader.u64()
  const isBuy = reader.bool()
  reader.skip(32 + 8) // user, timestamp
  const virtualSolReserves = reader.u64()
  const virtualTokenReserves = reader.u64()
  const realSolReserves = reader.u64()
  const realTokenReserves = reader.u64()
  const isMayhem = readMayhem(reader)
  const quote = readTradeQuote(reader)
  return {
    mint,
    solAmount,
    tokenAmount,
    isBuy,
    virtualSolReserves,
    virtualTokenReserves,
    realSolReserves,
    realTokenReserves,
    isMayhem,
    quote,
  }
}

/** Reads the trader and time from a {@link TradeEvent}'s body, which the instruction and the block have too. */
export function readTradeOrigin(body: Uint8Array): Readonly<{ user: Uint8Array; timestamp: bigint }> {
  const reader = new ByteReader(body, 49)
  return { user: reader.key(), timestamp: reader.u64() }
}

function readMayhem(reader: ByteReader): boolean {
  for (const width of TRADE_TAIL) {
    if (reader.ended) return false
    reader.skip(width)
  }
  if (reader.ended) return false
  reader.skip(reader.u32()) // ix_name, which does not distinguish the versions
  return reader.ended ? false : reader.bool()
}

function readTradeQuote(reader: ByteReader): TradeEvent['quote'] {
  for (const width of TRADE_TAIL_AFTER_MAYHEM) {
    if (reader.ended) return null
    reader.skip(width)
  }
  if (reader.ended) return null
  reader.skip(reader.u32() * SHAREHOLDER_BYTES)
  if (reader.ended) return null
  const mint = reader.key()
  const amount = reader.u64()
  const virtualReserves = reader.u64()
  return { mint, amount, virtualReserves, realReserves: reader.u64() }
}

/** What a completing buy took from the tokens that the future pool opens with, without fees. */
export type PostCompleteBuyEvent = Readonly<{ mint: Uint8Array; baseOut: bigint; quoteIn: bigint }>

/** `body` follows the discriminator. @throws TruncatedError when it ends before `pool_quote_reserves_after`. */
export function readPostCompleteBuyEvent(body: Uint8Array): PostCompleteBuyEvent {
  const reader = new ByteReader(body)
  reader.skip(32) // user
  const mint = reader.key()
  reader.skip(32 + 32 + 8) // bonding_curve, quote_mint, timestamp
  const baseOut = reader.u64()
  const quoteIn = reader.u64()
  reader.skip(9 * 8) // fees, the pool's reserves before and after
  return { mint, baseOut, quoteIn }
}

/** A coin's creation. Events of 2024 end after `user`. */
export type CreateEvent = Readonly<{
  name: string
  symbol: string
  uri: string
  mint: Uint8Array
  curve: Uint8Array
  /** The named creator, else who signed for it, as before 2025. */
  creator: Uint8Array
  /** Raw units that the curve begins with; null before 2025. */
  reserves: Readonly<{ virtualTokens: bigint; virtualQuote: bigint; realTokens: bigint }> | null
  /** Raw units created; null before 2025. */
  totalSupply: bigint | null
  /** Whether the program's own agent trades this coin; false if the event does not say. */
  isMayhem: boolean
  /** All zeros for SOL; null before 2026. */
  quoteMint: Uint8Array | null
  /** Unix seconds; null before 2025. */
  timestamp: bigint | null
}>

/** Each field after `user` may be the last one. `body` follows the discriminator. @throws TruncatedError inside a field. */
export function readCreateEvent(body: Uint8Array): CreateEvent {
  const reader = new ByteReader(body)
  const name = reader.string()
  const symbol = reader.string()
  const uri = reader.string()
  const mint = reader.key()
  const curve = reader.key()
  const user = reader.key()
  const creator = reader.ended ? user : reader.key()
  const timestamp = u64OrNull(reader)
  const virtualTokens = u64OrNull(reader)
  const virtualSol = u64OrNull(reader)
  const realTokens = u64OrNull(reader)
  const totalSupply = u64OrNull(reader)
  if (!reader.ended) reader.skip(32) // token_program
  const isMayhem = reader.ended ? false : reader.bool()
  if (!reader.ended) reader.skip(1) // is_cashback_enabled
  const quoteMint = reader.ended ? null : reader.key()
  // Since 2026, and in the coin's own quote: `virtual_sol_reserves` is 0 where that is not SOL.
  const virtualQuote = u64OrNull(reader) ?? virtualSol
  const reserves =
    virtualTokens === null || virtualQuote === null || realTokens === null || totalSupply === null
      ? null
      : { virtualTokens, virtualQuote, realTokens }
  return {
    name,
    symbol,
    uri,
    mint,
    curve,
    creator,
    reserves,
    totalSupply,
    isMayhem,
    quoteMint,
    timestamp,
  }
}

function u64OrNull(reader: ByteReader): bigint | null {
  return reader.ended ? null : reader.u64()
}

/** An exchange with a curve in the program's events, without fees. */
type ToldTrade = Readonly<{
  quoteMint: string
  /** Whether the quote moves as lamports. */
  isSol: boolean
  /** Raw units, positive in both directions. */
  tokenAmount: bigint
  quoteAmount: bigint
  /** Raw units of the quote after it. */
  quoteReserve: bigint
  curve: CurveState
}>

/** Returns a trade's amounts, including what its completing buy took from the future pool. */
export function readToldTrade(event: TradeEvent, beyond: PostCompleteBuyEvent | null): ToldTrade {
  // With SOL as the quote, both fields are equal; for other quotes the SOL fields are zero.
  const quoteMint = event.quote === null ? WRAPPED_SOL : quoteMintOf(event.quote.mint)
  const isSol = event.quote === null || (quoteMint === WRAPPED_SOL && event.solAmount > 0n)
  const quoteBeyond = beyond?.quoteIn ?? 0n
  return {
    quoteMint,
    isSol,
    tokenAmount: event.tokenAmount + (beyond?.baseOut ?? 0n),
    quoteAmount: (isSol ? event.solAmount : event.quote!.amount) + quoteBeyond,
    quoteReserve: (isSol ? event.realSolReserves : event.quote!.realReserves) + quoteBeyond,
    curve: stateOf(
      {
        virtualTokens: event.virtualTokenReserves,
        virtualQuote: isSol ? event.virtualSolReserves : event.quote!.virtualReserves,
        realTokens: event.realTokenReserves,
      },
      event.isBuy && event.realTokenReserves === 0n,
    ),
  }
}

/** Raw tokens that a curve sells, and how many more the price counts than are there; of a curve with others the progress is unknown. */
const SOLD_BY_CURVE = 793_100_000_000_000n
const VIRTUAL_ONLY = 279_900_000_000_000n

/** Returns the state of a curve with these reserves; `isComplete` if a trade has just emptied it. */
function stateOf(
  { virtualTokens, virtualQuote, realTokens }: NonNullable<CreateEvent['reserves']>,
  isComplete = false,
): CurveState {
  const isUsual = virtualTokens - realTokens === VIRTUAL_ONLY && realTokens <= SOLD_BY_CURVE
  const filled = isUsual ? { amount: SOLD_BY_CURVE - realTokens, of: SOLD_BY_CURVE } : null
  return { filled, isComplete, virtualBase: virtualTokens, virtualQuote }
}

/** Returns what a creation says of its creator and its curve. */
export function madeBy({ creator, reserves }: CreateEvent): Pick<PoolCreation, 'creator' | 'curve'> {
  return { creator: addressOf(creator), ...(reserves && { curve: stateOf(reserves) }) }
}

/** Returns the event's details of the coin; its vault initially holds all of them. */
export function coinOf({ name, symbol, uri, totalSupply }: CreateEvent): Partial<CreationSide> {
  const made = totalSupply === null ? {} : { amount: totalSupply, supply: totalSupply }
  return { decimals: COIN_DECIMALS, name, symbol, uri, ...made }
}

/** Returns the launchpad of a coin. */
export function launchpadOf(isMayhem: boolean): Launchpad {
  return isMayhem ? 'pump_mayhem' : 'pumpfun'
}

/** Returns the mint of a coin's quote; null and the default address mean SOL. */
export function quoteMintOf(key: Uint8Array | null): string {
  return key === null || isZeroKey(key) ? WRAPPED_SOL : addressOf(key)
}
