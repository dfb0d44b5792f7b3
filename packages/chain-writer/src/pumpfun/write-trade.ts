import { ByteWriter } from '../byte-writer.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  writeLamportTransfer,
  writeTransferChecked,
} from '../spl-token/write.ts'
import { writeEventCall, writeEventLog } from '../write-event.ts'
import type { Call, Step } from '../write-transaction.ts'
import {
  EVENT_AUTHORITY,
  FEE_CONFIG,
  FEE_PROGRAM,
  FEE_RECIPIENT,
  GLOBAL,
  NO_MINT,
  PUMPFUN_PROGRAM,
  type PumpfunCurve,
  type PumpfunReserves,
  VOLUME_ACCUMULATOR,
} from './write-accounts.ts'

const BUY = Uint8Array.of(0x66, 0x06, 0x3d, 0x12, 0x01, 0xda, 0xeb, 0xea)
const SELL = Uint8Array.of(0x33, 0xe6, 0x85, 0xa4, 0x01, 0x7f, 0x83, 0xad)
const BUY_EXACT_SOL_IN = Uint8Array.of(0x38, 0xfc, 0x74, 0x08, 0x9e, 0xdf, 0xcd, 0x5f)
const BUY_V2 = Uint8Array.of(0xb8, 0x17, 0xee, 0x61, 0x67, 0xc5, 0xd3, 0x3d)
const SELL_V2 = Uint8Array.of(0x5d, 0xf6, 0x82, 0x3c, 0xe7, 0xe9, 0x40, 0xb2)
const TRADE_EVENT = Uint8Array.of(0xbd, 0xdb, 0x7f, 0xd3, 0x4e, 0xe6, 0x61, 0xee)
const COMPLETE_EVENT = Uint8Array.of(0x5f, 0x72, 0x61, 0x9c, 0xd4, 0x2e, 0x98, 0x08)

/** Fields of a {@link writePumpfunTrade}. Amounts in raw units, quote in lamports where the curve is priced in SOL. */
export type PumpfunTrade = Readonly<{
  curve: PumpfunCurve
  isBuy: boolean
  /** Whether a buy names what it spends instead of what it wants. */
  isExactIn: boolean
  user: Uint8Array
  userTokens: Uint8Array
  /** The user's account of the quote; needed where the curve is not priced in SOL. */
  userQuote?: Uint8Array
  tokenAmount: bigint
  /** What moves between curve and trader, fees excluded. */
  quoteAmount: bigint
  /** Fees are written for curves priced in SOL only; elsewhere the event holds zeros. */
  feeBasisPoints: bigint
  fee: bigint
  creatorFeeBasisPoints: bigint
  creatorFee: bigint
  /** After the trade. */
  reserves: PumpfunReserves
  /** Unix seconds. */
  timestamp: number
  /** Whether this buy takes the last token. */
  completes: boolean
}>

/** A buy or sell on a curve: `buy`, `buy_exact_sol_in` and `sell`, or `buy_v2` and `sell_v2` with another quote. */
export function writePumpfunTrade(trade: PumpfunTrade): Call {
  const { curve, isBuy, user, tokenAmount, quoteAmount } = trade
  const quote = curve.quote
  const total = quoteAmount + trade.fee + trade.creatorFee
  const isExactIn = isBuy && trade.isExactIn && !quote
  const ixName = isExactIn ? 'buy_exact_sol_in' : isBuy ? 'buy' : 'sell'

  const data = new ByteWriter(25)
  if (quote) data.bytes(isBuy ? BUY_V2 : SELL_V2)
  else data.bytes(isExactIn ? BUY_EXACT_SOL_IN : isBuy ? BUY : SELL)
  if (isExactIn) data.u64(total).u64((tokenAmount * 9n) / 10n)
  else data.u64(tokenAmount).u64(isBuy ? (total * 11n) / 10n : (quoteAmount * 9n) / 10n)
  if (isBuy && !quote) data.u8(1)

  const event = writeTradeEvent(trade, ixName)
  const steps: Step[] = [`log: Instruction: ${INSTRUCTION_NAMES[ixName]}`]
  const token = {
    tokenProgram: curve.tokenProgram,
    mint: curve.mint,
    decimals: 6,
    amount: tokenAmount,
    ...(isBuy
      ? { from: curve.curveTokens, to: trade.userTokens, authority: curve.curve }
      : { from: trade.userTokens, to: curve.curveTokens, authority: user }),
  }
  steps.push(writeTransferChecked(token))
  if (quote) {
    if (!trade.userQuote) throw new Error('a curve that is not priced in SOL needs the account of its quote')
    const leg = { tokenProgram: TOKEN_PROGRAM, mint: quote.mint, decimals: quote.decimals }
    steps.push(
      isBuy
        ? writeTransferChecked({
            ...leg,
            from: trade.userQuote,
            to: quote.curveQuote,
            authority: user,
            amount: quoteAmount,
          })
        : writeTransferChecked({
            ...leg,
            from: quote.curveQuote,
            to: trade.userQuote,
            authority: curve.curve,
            amount: quoteAmount,
          }),
    )
  } else if (isBuy) {
    steps.push(
      writeLamportTransfer(user, curve.creatorVault, trade.creatorFee),
      writeLamportTransfer(user, curve.curve, quoteAmount),
      writeLamportTransfer(user, FEE_RECIPIENT, trade.fee),
    )
  }
  steps.push(writeEventLog(event), writeEventCall(PUMPFUN_PROGRAM, EVENT_AUTHORITY, event))
  if (trade.completes) {
    const complete = new ByteWriter(150)
      .bytes(COMPLETE_EVENT)
      .bytes(user)
      .bytes(curve.mint)
      .bytes(curve.curve)
      .i64(BigInt(trade.timestamp))
      .bytes(quote?.mint ?? NO_MINT)
      .finish()
    steps.push(writeEventLog(complete), writeEventCall(PUMPFUN_PROGRAM, EVENT_AUTHORITY, complete))
  }

  return { program: PUMPFUN_PROGRAM, accounts: tradeAccounts(trade), data: data.finish(), steps }
}

const INSTRUCTION_NAMES = { buy: 'Buy', sell: 'Sell', buy_exact_sol_in: 'BuyExactSolIn' }

function tradeAccounts(trade: PumpfunTrade): Uint8Array[] {
  const { curve, isBuy, user, userTokens } = trade
  const { quote } = curve
  if (quote) {
    return [
      GLOBAL,
      curve.mint,
      quote.mint,
      curve.tokenProgram,
      TOKEN_PROGRAM,
      ASSOCIATED_TOKEN_PROGRAM,
      FEE_RECIPIENT,
      FEE_RECIPIENT,
      FEE_RECIPIENT,
      FEE_RECIPIENT,
      curve.curve,
      curve.curveTokens,
      quote.curveQuote,
      user,
      userTokens,
      trade.userQuote ?? user,
      curve.creatorVault,
      curve.creatorVault,
      FEE_CONFIG,
      ...(isBuy ? [VOLUME_ACCUMULATOR] : []),
      VOLUME_ACCUMULATOR,
      VOLUME_ACCUMULATOR,
      FEE_CONFIG,
      FEE_PROGRAM,
      SYSTEM_PROGRAM,
      EVENT_AUTHORITY,
      PUMPFUN_PROGRAM,
    ]
  }
  const head = [
    GLOBAL,
    FEE_RECIPIENT,
    curve.mint,
    curve.curve,
    curve.curveTokens,
    userTokens,
    user,
    SYSTEM_PROGRAM,
  ]
  return isBuy
    ? [
        ...head,
        curve.tokenProgram,
        curve.creatorVault,
        EVENT_AUTHORITY,
        PUMPFUN_PROGRAM,
        VOLUME_ACCUMULATOR,
        VOLUME_ACCUMULATOR,
        FEE_CONFIG,
        FEE_PROGRAM,
      ]
    : [
        ...head,
        curve.creatorVault,
        curve.tokenProgram,
        EVENT_AUTHORITY,
        PUMPFUN_PROGRAM,
        FEE_CONFIG,
        FEE_PROGRAM,
      ]
}

function writeTradeEvent(trade: PumpfunTrade, ixName: string): Uint8Array {
  const { curve, reserves } = trade
  // The fields named after SOL stay zero when the curve is priced in another token.
  const isSol = curve.quote === undefined
  return new ByteWriter(400)
    .bytes(TRADE_EVENT)
    .bytes(curve.mint)
    .u64(isSol ? trade.quoteAmount : 0n)
    .u64(trade.tokenAmount)
    .bool(trade.isBuy)
    .bytes(trade.user)
    .i64(BigInt(trade.timestamp))
    .u64(isSol ? reserves.virtualQuote : 0n)
    .u64(reserves.virtualTokens)
    .u64(isSol ? reserves.realQuote : 0n)
    .u64(reserves.realTokens)
    .bytes(FEE_RECIPIENT)
    .u64(isSol ? trade.feeBasisPoints : 0n)
    .u64(isSol ? trade.fee : 0n)
    .bytes(curve.creator)
    .u64(isSol ? trade.creatorFeeBasisPoints : 0n)
    .u64(isSol ? trade.creatorFee : 0n)
    .bool(trade.isBuy)
    .u64(0n) // unclaimed tokens
    .u64(0n) // claimed tokens
    .u64(0n) // the user's volume
    .i64(0n) // of its last update
    .string(ixName)
    .bool(false) // mayhem
    .u64(0n) // cashback basis points
    .u64(0n) // cashback
    .u64(0n) // buyback basis points
    .u64(0n) // buyback fee
    .u32(0) // shareholders
    .bytes(curve.quote?.mint ?? NO_MINT)
    .u64(trade.quoteAmount)
    .u64(reserves.virtualQuote)
    .u64(reserves.realQuote)
    .finish()
}
