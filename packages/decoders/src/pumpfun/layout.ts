import { ByteReader } from '../byte-reader.ts'
import { bytesOfHex, DiscriminatorTable } from '../discriminator.ts'

/**
 * pump.fun's bonding curve in bytes.
 *
 * @see https://github.com/pump-fun/pump-public-docs/blob/main/idl/pump.json
 */
export const PROGRAM_ID = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'

/** Places of a trade's accounts, which stay where they are while programs append to the list. */
export type TradeAccounts = Readonly<{
  mint: number
  curve: number
  baseVault: number
  quoteVault: number | null
  user: number
}>

/** buy, sell and buy_exact_sol_in: SOL moves as lamports, so there is no vault of the quote. */
const TRADE: TradeAccounts = { mint: 2, curve: 3, baseVault: 4, quoteVault: null, user: 6 }
/** The v2 instructions name both mints and both vaults. */
const TRADE_V2: TradeAccounts = { mint: 1, curve: 10, baseVault: 11, quoteVault: 12, user: 13 }
/** So do the v3 ones, which leave their fees in the curve; of a coin quoted in SOL the vault need not exist. */
const TRADE_V3: TradeAccounts = { mint: 1, curve: 5, baseVault: 6, quoteVault: 7, user: 8 }

/** multi_hop_curve_swap names after its own accounts five for each curve, in the order of the route. */
export const MULTI_HOP = {
  user: 3,
  firstCurve: 13,
  accountsPerCurve: 5,
  /** Places within a curve's five. */
  mint: 0,
  curve: 2,
  baseVault: 3,
  quoteVault: 4,
} as const

/** What an instruction is to us. */
export type PumpfunInstruction =
  | Readonly<{ kind: 'trade'; accounts: TradeAccounts }>
  | Readonly<{ kind: 'multi_hop' }>
  | Readonly<{ kind: 'create'; mint: number; curve: number; curveVault: number }>
  | Readonly<{ kind: 'other' }>

const CREATE = { kind: 'create', mint: 0, curve: 2, curveVault: 3 } as const
const OTHER = { kind: 'other' } as const

/** Every instruction of the program by its discriminator. */
export const INSTRUCTIONS = new DiscriminatorTable<PumpfunInstruction>({
  '181ec828051c0777': CREATE, // create
  d6904cec5f8b31b4: CREATE, // create_v2
  '66063d1201daebea': { kind: 'trade', accounts: TRADE }, // buy
  '33e685a4017f83ad': { kind: 'trade', accounts: TRADE }, // sell
  '38fc74089edfcd5f': { kind: 'trade', accounts: TRADE }, // buy_exact_sol_in
  b817ee6167c5d33d: { kind: 'trade', accounts: TRADE_V2 }, // buy_v2
  '5df6823ce7e940b2': { kind: 'trade', accounts: TRADE_V2 }, // sell_v2
  c2ab1c46684d5b2f: { kind: 'trade', accounts: TRADE_V2 }, // buy_exact_quote_in_v2
  '07051dc4f5176550': { kind: 'trade', accounts: TRADE_V3 }, // buy_v3
  e1f7501ed5b38488: { kind: 'trade', accounts: TRADE_V3 }, // buy_exact_quote_in_v3
  '1c92de7726c469d5': { kind: 'trade', accounts: TRADE_V3 }, // sell_v3
  e19a7516d756f667: { kind: 'multi_hop' }, // multi_hop_curve_swap
  '9beae792ec9ea21e': OTHER, // migrate
  bbcb121fceedfe29: OTHER, // migrate_v2
  '020e3d8aaa8e0e5f': OTHER, // add_quote_control_mint
  '6f79153828185ed1': OTHER, // add_quote_mint
  '7d7ed6864de5bc59': OTHER, // admin_cto
  '08d960e79068c005': OTHER, // admin_set_idl_authority
  d10b7357d5177ccc: OTHER, // admin_update_token_incentives
  '253a237ebe35e4c5': OTHER, // claim_cashback
  '7af3cc415e741d37': OTHER, // claim_cashback_v2
  '1004471ccc01281b': OTHER, // claim_token_incentives
  f945a4da9667548a: OTHER, // close_user_volume_accumulator
  '1416567bc61cdb84': OTHER, // collect_creator_fee
  cf118af204221338: OTHER, // collect_creator_fee_v2
  a572670079cef751: OTHER, // distribute_creator_fees
  ffcb134ff444089f: OTHER, // distribute_creator_fees_v2
  '623691610246ad2b': OTHER, // distribute_fee_to_holders
  ea66c2cb96483ee5: OTHER, // extend_account
  '75e17fca865f4423': OTHER, // get_minimum_distributable_fee
  '5e06ca73ff60e8b7': OTHER, // init_user_volume_accumulator
  afaf6d1f0d989bed: OTHER, // initialize
  ef49f5add1b15442: OTHER, // initialize_quote_control
  '577c34bf3426d6e8': OTHER, // migrate_bonding_curve_creator
  df07fd1a51a5daa6: OTHER, // remove_quote_control_mint
  b141df2658d19e9b: OTHER, // remove_quote_mint
  fe94ff70cf8eaaa5: OTHER, // set_creator
  '3da9bcbf99952a61': OTHER, // set_mayhem_virtual_params
  '8a60aed93055c5f6': OTHER, // set_metaplex_creator
  '1beab2349302bb8d': OTHER, // set_params
  '3e4fa1d3a5aad6d2': OTHER, // set_quote_control_admin
  '74dc6b53bf2c2049': OTHER, // set_quote_control_mint_reserves
  a1c3dea5e165c03e: OTHER, // set_quote_control_reserves_admin
  '6faca2e87259d58e': OTHER, // set_reserved_fee_recipients
  '6587bf6809581460': OTHER, // set_virtual_quote_reserves
  '20f6bf3408c949ba': OTHER, // sweep_creator_fee
  '0830be07b644b7e5': OTHER, // sweep_protocol_fee
  '561fc057a3574fee': OTHER, // sync_user_volume_accumulator
  '7367e0ffbd5956c3': OTHER, // toggle_cashback_enabled
  '1cffe6f0ac6bcbab': OTHER, // toggle_create_v2
  '01096fd0641fffa3': OTHER, // toggle_mayhem_mode
  fbe0ab92a01a71e9: OTHER, // update_buyback_config
  '3dafa0f9424288af': OTHER, // update_creator_fee_config
  e3b54ac4d01561d5: OTHER, // update_global_authority
  e1fc4204c723ec10: OTHER, // update_holder_reward_config
  b712469c946da122: OTHER, // withdraw, the migration of 2024
  '4519ab8e39ef0d04': OTHER, // admin_set_creator, of earlier versions
  afdaaa642a77c21a: OTHER, // set_bonding_curve_creator, of earlier versions
  f228759149606968: OTHER, // admin_set_coin_creator, of earlier versions
  '40f4bc78a7e9690a': OTHER, // Anchor's own, which keeps the IDL on the chain
})

/** First 8 bytes of sha256("event:CreateEvent"). */
export const CREATE_EVENT = bytesOfHex('1b72a94ddeeb6376')
/** First 8 bytes of sha256("event:TradeEvent"). */
export const TRADE_EVENT = bytesOfHex('bddb7fd34ee661ee')
/** First 8 bytes of sha256("event:PostCompleteBuyEvent"). */
export const POST_COMPLETE_BUY_EVENT = bytesOfHex('6fb06d8b316cd5fb')
/** Both by their discriminators. */
export const TRADE_EVENTS = new DiscriminatorTable<'trade' | 'post_complete_buy'>({
  bddb7fd34ee661ee: 'trade',
  '6fb06d8b316cd5fb': 'post_complete_buy',
})

/** Decimals of every coin that the program makes. */
export const COIN_DECIMALS = 6

/** A trade as the curve counts it, fees left out. Later versions append fields; older events end sooner. */
export type TradeEvent = Readonly<{
  mint: Uint8Array
  /** Lamports that the curve took in or gave out; 0 for a coin quoted in another token. */
  solAmount: bigint
  tokenAmount: bigint
  isBuy: boolean
  /** Lamports in the curve after the trade. */
  realSolReserves: bigint
  /** Raw tokens that the curve still sells, after the trade. */
  realTokenReserves: bigint
  /** Whether the program's own agent trades this coin; false where the event does not say. */
  isMayhem: boolean
  /** Since 2026. */
  quote: Readonly<{
    /** All zeros for SOL. */
    mint: Uint8Array
    amount: bigint
    realReserves: bigint
  }> | null
}>

/** Widths of the fixed fields between `real_token_reserves` and `ix_name`, each optional with all that follow. */
const TRADE_TAIL = [32, 8, 8, 32, 8, 8, 1, 8, 8, 8, 8] as const
/** Widths of the fields between `mayhem_mode` and `shareholders`. */
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
  reader.skip(32 + 8 + 8 + 8) // user, timestamp, virtual_sol_reserves, virtual_token_reserves
  const realSolReserves = reader.u64()
  const realTokenReserves = reader.u64()
  const isMayhem = readMayhem(reader)
  const quote = readTradeQuote(reader)
  return { mint, solAmount, tokenAmount, isBuy, realSolReserves, realTokenReserves, isMayhem, quote }
}

/** Who traded and when, of a {@link TradeEvent}'s body: what the instruction and the block say too. */
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
  reader.skip(reader.u32()) // ix_name, which does not tell the versions apart
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
  reader.skip(8) // virtual_quote_reserves
  return { mint, amount, realReserves: reader.u64() }
}

/** What a completing buy took from the tokens that the coming pool opens with, fees left out. */
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

/** A coin's creation. The events of 2024 end after `user`. */
type CreateEvent = Readonly<{
  name: string
  symbol: string
  uri: string
  mint: Uint8Array
  curve: Uint8Array
  /** Raw units made; null before 2025. */
  totalSupply: bigint | null
  /** Whether the program's own agent trades this coin; false where the event does not say. */
  isMayhem: boolean
  /** All zeros for SOL; null before 2026. */
  quoteMint: Uint8Array | null
  /** Unix seconds; null before 2025. */
  timestamp: bigint | null
}>

/** `body` follows the discriminator. @throws TruncatedError when it ends inside a field. */
export function readCreateEvent(body: Uint8Array): CreateEvent {
  const reader = new ByteReader(body)
  const name = reader.string()
  const symbol = reader.string()
  const uri = reader.string()
  const mint = reader.key()
  const curve = reader.key()
  reader.skip(32) // user
  const rest = readCreateTail(reader)
  return { name, symbol, uri, mint, curve, ...rest }
}

function readCreateTail(
  reader: ByteReader,
): Pick<CreateEvent, 'totalSupply' | 'isMayhem' | 'quoteMint' | 'timestamp'> {
  const none = { totalSupply: null, isMayhem: false, quoteMint: null, timestamp: null }
  if (reader.ended) return none
  reader.skip(32) // creator
  if (reader.ended) return none
  const timestamp = reader.u64()
  // virtual_token_reserves, virtual_sol_reserves, real_token_reserves
  for (const width of [8, 8, 8]) {
    if (reader.ended) return { ...none, timestamp }
    reader.skip(width)
  }
  if (reader.ended) return { ...none, timestamp }
  const totalSupply = reader.u64()
  if (reader.ended) return { ...none, timestamp, totalSupply }
  reader.skip(32) // token_program
  if (reader.ended) return { ...none, timestamp, totalSupply }
  const isMayhem = reader.bool()
  if (reader.ended) return { timestamp, totalSupply, isMayhem, quoteMint: null }
  reader.skip(1) // is_cashback_enabled
  return { timestamp, totalSupply, isMayhem, quoteMint: reader.ended ? null : reader.key() }
}
