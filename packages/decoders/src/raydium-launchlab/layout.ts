import { ByteReader } from '../byte-reader.ts'
import { bytesOfHex, DiscriminatorTable } from '../discriminator.ts'

/**
 * Raydium's LaunchLab in bytes.
 *
 * @see https://github.com/raydium-io/raydium-sdk-V2/blob/master/src/raydium/launchpad/layout.ts
 * @see https://github.com/chainstacklabs/pumpfun-bonkfun-bot/blob/main/idl/raydium_launchlab_idl.json
 */
export const PROGRAM_ID = 'LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj'

/** What an instruction is to us. */
type LaunchlabInstruction = 'trade' | 'initialize' | 'other'

/** Every instruction of the program by its discriminator. */
export const INSTRUCTIONS = new DiscriminatorTable<LaunchlabInstruction>({
  faea0d7bd59c13ec: 'trade', // buy_exact_in
  '18d3742869039938': 'trade', // buy_exact_out
  '9527de9bd37c981a': 'trade', // sell_exact_in
  '5fc8472208090ba6': 'trade', // sell_exact_out
  afaf6d1f0d989bed: 'initialize',
  '4399af27da102620': 'initialize', // initialize_v2
  '25be7ede2c9aab11': 'initialize', // initialize_with_token_2022
  cf52c091fecf91df: 'other', // migrate_to_amm
  '885cc8671cda908c': 'other', // migrate_to_cpswap
  '1a618acb84ab8dfc': 'other', // claim_creator_fee
  '9c27d0874ced3d48': 'other', // claim_platform_fee
  '75f1c6a8f8da501d': 'other', // claim_platform_fee_from_vault
  '3121681ebd9d4f23': 'other', // claim_vested_token
  '3cadf767045d8230': 'other', // collect_fee
  ffba96dfeb76c9ba: 'other', // collect_migrate_fee
  c9cff3724b6f2fbd: 'other', // create_config
  b05ac4affd71dc14: 'other', // create_platform_config
  '9247ad4562130f6a': 'other', // create_platform_vesting_account
  '81b2020dd9ace6da': 'other', // create_vesting_account
  '1b1e3ea95de01891': 'other', // remove_platform_curve_param
  '1d9efcbf0a53db63': 'other', // update_config
  c33c4c81922d438f: 'other', // update_platform_config
  '8a908afadc800439': 'other', // update_platform_curve_param
  '40f4bc78a7e9690a': 'other', // Anchor's own, which keeps the IDL on the chain
})

/** Places of accounts. */
export const TRADE_ACCOUNTS = {
  payer: 0,
  platform: 3,
  pool: 4,
  traderBase: 5,
  traderQuote: 6,
  baseVault: 7,
  quoteVault: 8,
  baseMint: 9,
  quoteMint: 10,
} as const
export const INITIALIZE_ACCOUNTS = { platform: 3, pool: 5, baseMint: 6, quoteMint: 7, baseVault: 8 } as const

/** First 8 bytes of sha256("event:TradeEvent"). */
export const TRADE_EVENT = bytesOfHex('bddb7fd34ee661ee')

/** A trade on the curve. */
type TradeEvent = Readonly<{
  pool: Uint8Array
  /** Raw units sold so far, before and after the trade. */
  realBaseBefore: bigint
  realBaseAfter: bigint
  /** Raw units raised so far, after the trade. */
  realQuoteAfter: bigint
  amountIn: bigint
  amountOut: bigint
  isBuy: boolean
}>

/** Bytes of the layout that has creator_fee and exact_in (since mid 2025); the one before has 130. */
const WITH_CREATOR_FEE_BYTES = 139

/** `body` follows the discriminator. @throws TruncatedError when it ends before the old layout did (130 bytes). */
export function readTradeEvent(body: Uint8Array): TradeEvent {
  const reader = new ByteReader(body)
  const pool = reader.key()
  reader.skip(3 * 8) // total_base_sell, virtual_base, virtual_quote
  const realBaseBefore = reader.u64()
  reader.skip(8) // real_quote_before
  const realBaseAfter = reader.u64()
  const realQuoteAfter = reader.u64()
  const amountIn = reader.u64()
  const amountOut = reader.u64()
  reader.skip(2 * 8) // protocol_fee, platform_fee
  if (body.length >= WITH_CREATOR_FEE_BYTES) reader.skip(8) // creator_fee
  reader.skip(8) // share_fee
  const isBuy = !reader.bool()
  reader.skip(1) // pool_status
  return { pool, realBaseBefore, realBaseAfter, realQuoteAfter, amountIn, amountOut, isBuy }
}

/** What a token is made with. */
type Launch = Readonly<{ decimals: number; name: string; symbol: string; uri: string; supply: bigint }>

/**
 * The leading arguments of `initialize` in all its versions: the mint, then the curve, each of whose kinds begins
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
  reader.skip(1) // which kind of curve
  return { decimals, name, symbol, uri, supply: reader.u64() }
}
