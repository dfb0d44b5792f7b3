import { ByteReader } from '../../bytes/byte-reader.ts'
import { anchorName } from '../../bytes/discriminator.ts'

/**
 * Moonshot, later Moonit, in bytes: a curve of its own, without token accounts for what it raises.
 *
 * @see https://github.com/sevenlabs-hq/carbon (moonshot-decoder, 9dc3c3a)
 * @see https://github.com/wen-moon-ser/moonshot-sdk
 */
export const PROGRAM_ID = 'MoonCVVNZFSYkqNXP6bxHLPL6QQJiMagDL3qcqUQTrG'

/** The program's instructions by their meaning to us. */
export const INSTRUCTIONS = {
  trade: 'buy sell',
  tokenMint: 'token_mint',
  other: 'config_init config_update migrate_funds',
} as const

/** Indexes of accounts. */
export const TRADE_ACCOUNTS = { authority: 0, pool: 2, vault: 3, mint: 6 } as const
export const MINT_ACCOUNTS = { pool: 2, base: { mint: 3, vault: 5 } } as const

export const TRADE_EVENT = anchorName('event:TradeEvent')

/** A trade on the curve, in raw units: the curve's own exchange, without the fees of others. */
export type TradeEvent = Readonly<{
  tokenAmount: bigint
  collateralAmount: bigint
  curve: Uint8Array
  /** Mint of the collateral; the zero key for SOL. */
  costToken: Uint8Array
  isBuy: boolean
}>

/** `body` follows the discriminator. @throws TruncatedError when it ends too early. */
export function readTradeEvent(body: Uint8Array): TradeEvent {
  const reader = new ByteReader(body)
  const tokenAmount = reader.u64()
  const collateralAmount = reader.u64()
  reader.skip(8 * 3) // dex_fee, helio_fee, allocation
  const curve = reader.key()
  const costToken = reader.key()
  reader.skip(32) // sender
  return { tokenAmount, collateralAmount, curve, costToken, isBuy: reader.u8() === 0 }
}

/** The creator's details of the token. */
type Launch = Readonly<{ name: string; symbol: string; uri: string; decimals: number; supply: bigint }>

/** `data` of `token_mint`, including the discriminator. @throws TruncatedError when it ends too early. */
export function readLaunch(data: Uint8Array): Launch {
  const reader = new ByteReader(data, 8)
  const name = reader.string()
  const symbol = reader.string()
  const uri = reader.string()
  const decimals = reader.u8()
  reader.skip(1) // collateral_currency
  return { name, symbol, uri, decimals, supply: reader.u64() }
}
