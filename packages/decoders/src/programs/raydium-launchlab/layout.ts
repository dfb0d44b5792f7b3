import { ByteReader } from '../../bytes/byte-reader.ts'
import { anchorName } from '../../bytes/discriminator.ts'
import type { CurveState } from '../../decoded.ts'
import type { CreationPlaces } from '../creation.ts'
import type { VaultTrade } from '../vault-trade.ts'

/**
 * Raydium's LaunchLab in bytes.
 *
 * @see https://github.com/raydium-io/raydium-sdk-V2/blob/master/src/raydium/launchpad/layout.ts
 * @see https://github.com/chainstacklabs/pumpfun-bonkfun-bot/blob/main/idl/raydium_launchlab_idl.json
 */
export const PROGRAM_ID = 'LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj'

/** The program's instructions by their meaning to us. */
export const INSTRUCTIONS = {
  trade: 'buy_exact_in buy_exact_out sell_exact_in sell_exact_out',
  initialize: 'initialize initialize_v2 initialize_with_token_2022',
  other: `
    migrate_to_amm migrate_to_cpswap claim_creator_fee claim_platform_fee claim_platform_fee_from_vault
    claim_vested_token collect_fee collect_migrate_fee create_config create_platform_config
    create_platform_vesting_account create_vesting_account remove_platform_curve_param update_config
    update_platform_config update_platform_curve_param`,
} as const

/** Indexes of accounts. */
export const TRADE: VaultTrade = {
  pool: 4,
  authority: 0,
  base: { vault: 7, mint: 9, trader: 5 },
  quote: { vault: 8, mint: 10, trader: 6 },
}
export const INITIALIZE: CreationPlaces = {
  pool: 5,
  base: { mint: 6, vault: 8 },
  quote: { mint: 7 },
  creator: 1,
}
/** In both. */
export const PLATFORM = 3

export const TRADE_EVENT = anchorName('event:TradeEvent')

/** A trade on the curve. */
type TradeEvent = Readonly<{
  pool: Uint8Array
  /** Raw units that the curve sells in all, and its parameters: for a constant product its reserves at the beginning. */
  totalBaseSell: bigint
  virtualBase: bigint
  virtualQuote: bigint
  /** Raw units sold so far, before and after the trade. */
  realBaseBefore: bigint
  realBaseAfter: bigint
  /** Raw units raised so far, before and after the trade. */
  realQuoteBefore: bigint
  realQuoteAfter: bigint
  amountIn: bigint
  amountOut: bigint
  isBuy: boolean
  /** Whether the trade completed the curve. */
  isComplete: boolean
}>

/** Size of the layout with creator_fee and exact_in (since mid 2025); the previous one has 130 bytes. */
const WITH_CREATOR_FEE_BYTES = 139

/** `body` follows the discriminator. @throws TruncatedError when it ends before the old layout did (130 bytes). */
export function readTradeEvent(body: Uint8Array): TradeEvent {
  const reader = new ByteReader(body)
  const pool = reader.key()
  const totalBaseSell = reader.u64()
  const virtualBase = reader.u64()
  const virtualQuote = reader.u64()
  const realBaseBefore = reader.u64()
  const realQuoteBefore = reader.u64()
  const realBaseAfter = reader.u64()
  const realQuoteAfter = reader.u64()
  const amountIn = reader.u64()
  const amountOut = reader.u64()
  reader.skip(2 * 8) // protocol_fee, platform_fee
  if (body.length >= WITH_CREATOR_FEE_BYTES) reader.skip(8) // creator_fee
  reader.skip(8) // share_fee
  const isBuy = !reader.bool()
  const isComplete = reader.u8() === MIGRATING && isBuy
  return {
    pool,
    totalBaseSell,
    virtualBase,
    virtualQuote,
    realBaseBefore,
    realQuoteBefore,
    realBaseAfter,
    realQuoteAfter,
    amountIn,
    amountOut,
    isBuy,
    isComplete,
  }
}

/** The `pool_status` of a curve that sells nothing more. */
const MIGRATING = 1

/**
 * Returns the curve after a trade. The event does not name the kind of curve: only a constant product keeps its product
 * through a trade, and the reserves of other kinds are not told.
 */
export function curveAfter(event: TradeEvent): CurveState {
  const { virtualBase, virtualQuote, realBaseBefore, realBaseAfter, totalBaseSell, isComplete } = event
  const base = virtualBase - realBaseAfter
  const quote = virtualQuote + event.realQuoteAfter
  const change = base * quote - (virtualBase - realBaseBefore) * (virtualQuote + event.realQuoteBefore)
  const isProduct = base > 0n && quote > 0n && (change < 0n ? -change : change) <= base + quote
  return {
    filled: totalBaseSell > 0n ? { amount: realBaseAfter, of: totalBaseSell } : null,
    isComplete,
    virtualBase: isProduct ? base : null,
    virtualQuote: isProduct ? quote : null,
  }
}

/** The details that a token is created with. */
type Launch = Readonly<{
  decimals: number
  name: string
  symbol: string
  uri: string
  supply: bigint
  curve: CurveState
}>

/**
 * Reads the leading arguments of `initialize` in all its versions: the mint, then the curve, each kind of which begins
 * with the supply. `data` begins with the discriminator.
 *
 * @throws TruncatedError when it ends too early.
 */
export function readLaunch(data: Uint8Array): Launch {
  const reader = new ByteReader(data, 8)
  const decimals = reader.u8()
  const name = reader.string()
  const symbol = reader.string()
  const uri = reader.string()
  const isProduct = reader.u8() === 0
  const supply = reader.u64()
  // The price depends on the platform's parameters, which come with the first trade.
  const filled = isProduct && !reader.ended ? { amount: 0n, of: reader.u64() } : null
  const curve = { filled, isComplete: false, virtualBase: null, virtualQuote: null }
  return { decimals, name, symbol, uri, supply, curve }
}
