import { ByteWriter } from '../byte-writer.ts'
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, writeTransferChecked } from '../spl-token/write.ts'
import { writeEventCall, writeEventLog } from '../write-event.ts'
import type { Call } from '../write-transaction.ts'
import {
  EVENT_AUTHORITY,
  FEE_CONFIG,
  FEE_PROGRAM,
  FEE_RECIPIENT,
  GLOBAL_CONFIG,
  NOBODY,
  PUMPSWAP_PROGRAM,
  type PumpswapPool,
  VOLUME_ACCUMULATOR,
} from './write-accounts.ts'

const BUY = Uint8Array.of(0x66, 0x06, 0x3d, 0x12, 0x01, 0xda, 0xeb, 0xea)
const SELL = Uint8Array.of(0x33, 0xe6, 0x85, 0xa4, 0x01, 0x7f, 0x83, 0xad)
const BUY_EXACT_QUOTE_IN = Uint8Array.of(0xc6, 0x2e, 0x15, 0x52, 0xb4, 0xd9, 0xe8, 0x70)
const BUY_V2 = Uint8Array.of(0xb8, 0x17, 0xee, 0x61, 0x67, 0xc5, 0xd3, 0x3d)
const SELL_V2 = Uint8Array.of(0x5d, 0xf6, 0x82, 0x3c, 0xe7, 0xe9, 0x40, 0xb2)
const BUY_EXACT_QUOTE_IN_V2 = Uint8Array.of(0xc2, 0xab, 0x1c, 0x46, 0x68, 0x4d, 0x5b, 0x2f)

const BUY_EVENT = Uint8Array.of(0x67, 0xf4, 0x52, 0x1f, 0x2c, 0xf5, 0x77, 0x77)
const SELL_EVENT = Uint8Array.of(0x3e, 0x2f, 0x37, 0x0a, 0xa5, 0x03, 0xdc, 0x2a)

/** Fees of a trade in raw units of the program's quote; `lp` stays in the pool, `buyback` is a part of `protocol`. */
type PumpswapFees = Readonly<{ lp: bigint; protocol: bigint; creator: bigint; buyback: bigint }>

/** The program's fees in basis points; the last of the protocol's. */
export const PUMPSWAP_FEE_BASIS_POINTS = { lp: 20n, protocol: 5n, creator: 5n, buyback: 5_000n }

/** Fields of a {@link writePumpswapTrade}; `isBuy` and amounts are the program's own, in raw units. */
type PumpswapTrade = Readonly<{
  pool: PumpswapPool
  isBuy: boolean
  /** Whether a buy names what it spends instead of what it wants. */
  isExactIn: boolean
  /** Whether the fees of protocol and creator stay in the vault until they are swept (v2). */
  keepsFees: boolean
  user: Uint8Array
  userBase: Uint8Array
  userQuote: Uint8Array
  baseAmount: bigint
  /** By the curve alone, before any fee. */
  quoteAmount: bigint
  fees: PumpswapFees
  /** What the vaults hold before the trade. */
  baseVaultBefore: bigint
  quoteVaultBefore: bigint
  /** What makes the price beside the vault's quote, before the trade; below zero where fees wait. */
  virtualQuoteReserve: bigint
  /** What waits for the creator after the trade. */
  creatorFeeUnclaimed: bigint
  timestamp: number
}>

/** `buy_v2`, `buy_exact_quote_in_v2` or `sell_v2` where fees are kept, else those before them. */
export function writePumpswapTrade(trade: PumpswapTrade): Call {
  const { name, data } = writeArguments(trade)
  const event = trade.isBuy ? writeBuyEvent(trade) : writeSellEvent(trade)
  return {
    program: PUMPSWAP_PROGRAM,
    accounts: accountsOf(trade),
    data,
    steps: [
      `log: Instruction: ${name}`,
      ...writeLegs(trade),
      writeEventLog(event),
      writeEventCall(PUMPSWAP_PROGRAM, EVENT_AUTHORITY, event),
    ],
  }
}

/** What a buyer pays in all. */
function spentBy({ quoteAmount, fees }: PumpswapTrade): bigint {
  return quoteAmount + fees.lp + fees.protocol + fees.creator
}

/** What a seller gets in all. */
function gotBy({ quoteAmount, fees }: PumpswapTrade): bigint {
  return quoteAmount - fees.lp - fees.protocol - fees.creator
}

function writeArguments(trade: PumpswapTrade): { name: string; data: Uint8Array } {
  const { isBuy, isExactIn, keepsFees, baseAmount, quoteAmount } = trade
  const spent = spentBy(trade)
  const data = new ByteWriter(25)
  if (!isBuy) {
    data
      .bytes(keepsFees ? SELL_V2 : SELL)
      .u64(baseAmount)
      .u64((quoteAmount * 9n) / 10n)
  } else if (isExactIn) {
    data.bytes(keepsFees ? BUY_EXACT_QUOTE_IN_V2 : BUY_EXACT_QUOTE_IN)
    data.u64(spent).u64((baseAmount * 9n) / 10n)
  } else {
    data
      .bytes(keepsFees ? BUY_V2 : BUY)
      .u64(baseAmount)
      .u64((spent * 11n) / 10n)
  }
  if (isBuy && !keepsFees) data.u8(1) // track volume
  const name = isBuy ? (isExactIn ? 'BuyExactQuoteIn' : 'Buy') : 'Sell'
  return { name: keepsFees ? `${name}V2` : name, data: data.finish() }
}

function writeLegs(trade: PumpswapTrade): Call[] {
  const { pool, isBuy, keepsFees, fees, baseAmount, quoteAmount, user } = trade
  const base = { tokenProgram: pool.base.tokenProgram, mint: pool.base.key, decimals: pool.base.decimals }
  const quote = { tokenProgram: pool.quote.tokenProgram, mint: pool.quote.key, decimals: pool.quote.decimals }
  const kept = keepsFees ? fees.protocol - fees.buyback + fees.creator : 0n
  const payer = isBuy
    ? { from: trade.userQuote, authority: user }
    : { from: pool.quoteVault, authority: pool.pool }
  const legs = [
    writeTransferChecked({
      ...base,
      amount: baseAmount,
      ...(isBuy
        ? { from: pool.baseVault, to: trade.userBase, authority: pool.pool }
        : { from: trade.userBase, to: pool.baseVault, authority: user }),
    }),
    writeTransferChecked({
      ...quote,
      ...payer,
      to: isBuy ? pool.quoteVault : trade.userQuote,
      amount: isBuy ? quoteAmount + fees.lp + kept : gotBy(trade),
    }),
  ]
  const toProtocol = keepsFees ? fees.buyback : fees.protocol
  legs.push(writeTransferChecked({ ...quote, ...payer, to: pool.protocolVault, amount: toProtocol }))
  if (!keepsFees) {
    legs.push(writeTransferChecked({ ...quote, ...payer, to: pool.creatorVault, amount: fees.creator }))
  }
  return legs
}

function accountsOf(trade: PumpswapTrade): Uint8Array[] {
  const { pool, isBuy } = trade
  const head = [
    pool.pool,
    trade.user,
    GLOBAL_CONFIG,
    pool.base.key,
    pool.quote.key,
    trade.userBase,
    trade.userQuote,
    pool.baseVault,
    pool.quoteVault,
  ]
  if (trade.keepsFees) {
    return [
      ...head,
      pool.base.tokenProgram,
      pool.quote.tokenProgram,
      SYSTEM_PROGRAM,
      VOLUME_ACCUMULATOR,
      FEE_CONFIG,
      pool.protocolVault,
      EVENT_AUTHORITY,
      PUMPSWAP_PROGRAM,
    ]
  }
  return [
    ...head,
    FEE_RECIPIENT,
    pool.protocolVault,
    pool.base.tokenProgram,
    pool.quote.tokenProgram,
    SYSTEM_PROGRAM,
    ASSOCIATED_TOKEN_PROGRAM,
    EVENT_AUTHORITY,
    PUMPSWAP_PROGRAM,
    pool.creatorVault,
    pool.coinCreator,
    ...(isBuy ? [VOLUME_ACCUMULATOR, VOLUME_ACCUMULATOR] : []),
    FEE_CONFIG,
    FEE_PROGRAM,
  ]
}

function writeBuyEvent(trade: PumpswapTrade): Uint8Array {
  const { baseAmount, quoteAmount, isExactIn, keepsFees, fees } = trade
  const spent = spentBy(trade)
  const writer = new ByteWriter(520)
    .bytes(BUY_EVENT)
    .i64(BigInt(trade.timestamp))
    .u64(baseAmount)
    .u64(isExactIn ? spent : (spent * 11n) / 10n) // the most that the user would have paid
  // Where the user names what to spend, the two amounts change their names.
  const [named, users] = isExactIn ? [spent, quoteAmount] : [quoteAmount, spent]
  const name = isExactIn ? 'buy_exact_quote_in' : 'buy'
  writeCommon(writer, trade, named, quoteAmount + fees.lp, users)
    .bool(true) // track volume
    .u64(0n) // unclaimed tokens
    .u64(0n) // claimed tokens
    .u64(0n) // the user's volume
    .i64(0n) // of its last update
    .u64(isExactIn ? (baseAmount * 9n) / 10n : baseAmount) // the least that the user would have taken
    .string(keepsFees ? `${name}_v2` : name)
  return writeTail(writer, trade).finish()
}

function writeSellEvent(trade: PumpswapTrade): Uint8Array {
  const { baseAmount, quoteAmount, fees } = trade
  const writer = new ByteWriter(450)
    .bytes(SELL_EVENT)
    .i64(BigInt(trade.timestamp))
    .u64(baseAmount)
    .u64((quoteAmount * 9n) / 10n) // the least that the user would have taken
  writeCommon(writer, trade, quoteAmount, quoteAmount - fees.lp, gotBy(trade))
  return writeTail(writer, trade).finish()
}

/** The part that both events share, from the user's reserves to the creator's fee. */
function writeCommon(
  writer: ByteWriter,
  trade: PumpswapTrade,
  named: bigint,
  withLpFee: bigint,
  users: bigint,
): ByteWriter {
  const { pool, fees, keepsFees } = trade
  return writer
    .u64(0n) // the user's base before
    .u64(users) // the user's quote before
    .u64(trade.baseVaultBefore)
    .u64(trade.quoteVaultBefore)
    .u64(named)
    .u64(PUMPSWAP_FEE_BASIS_POINTS.lp)
    .u64(fees.lp)
    .u64(PUMPSWAP_FEE_BASIS_POINTS.protocol)
    .u64(fees.protocol)
    .u64(withLpFee)
    .u64(users)
    .bytes(pool.pool)
    .bytes(trade.user)
    .bytes(trade.userBase)
    .bytes(trade.userQuote)
    .bytes(keepsFees ? NOBODY : FEE_RECIPIENT) // nobody: the mark of a fee that waits
    .bytes(keepsFees ? NOBODY : pool.protocolVault)
    .bytes(pool.coinCreator)
    .u64(PUMPSWAP_FEE_BASIS_POINTS.creator)
    .u64(fees.creator)
}

/** What 2026 appended to both events. */
function writeTail(writer: ByteWriter, trade: PumpswapTrade): ByteWriter {
  return writer
    .u64(0n) // cashback basis points
    .u64(0n) // cashback
    .u64(PUMPSWAP_FEE_BASIS_POINTS.buyback)
    .u64(trade.fees.buyback)
    .i128(trade.virtualQuoteReserve)
    .bool(trade.virtualQuoteReserve > 0n) // can boost
    .u64(1_000_000_000_000_000n) // supply of the base
    .u64(0n) // holder rewards' basis points
    .u64(0n) // holder rewards
    .u64(trade.creatorFeeUnclaimed)
}
