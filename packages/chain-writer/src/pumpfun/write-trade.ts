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
  BUYBACK_RECIPIENT,
  EVENT_AUTHORITY,
  FEE_CONFIG,
  FEE_PROGRAM,
  FEE_RECIPIENT,
  GLOBAL,
  PUMPFUN_PROGRAM,
  type PumpfunCurve,
  VOLUME_ACCUMULATOR,
  WRAPPED_SOL_MINT,
} from './write-accounts.ts'
import { type PumpfunTrade, writeTradeEvents } from './write-trade-event.ts'

const BUY = Uint8Array.of(0x66, 0x06, 0x3d, 0x12, 0x01, 0xda, 0xeb, 0xea)
const SELL = Uint8Array.of(0x33, 0xe6, 0x85, 0xa4, 0x01, 0x7f, 0x83, 0xad)
const BUY_EXACT_SOL_IN = Uint8Array.of(0x38, 0xfc, 0x74, 0x08, 0x9e, 0xdf, 0xcd, 0x5f)
const BUY_V2 = Uint8Array.of(0xb8, 0x17, 0xee, 0x61, 0x67, 0xc5, 0xd3, 0x3d)
const SELL_V2 = Uint8Array.of(0x5d, 0xf6, 0x82, 0x3c, 0xe7, 0xe9, 0x40, 0xb2)
const BUY_V3 = Uint8Array.of(0x07, 0x05, 0x1d, 0xc4, 0xf5, 0x17, 0x65, 0x50)
const BUY_EXACT_QUOTE_IN_V3 = Uint8Array.of(0xe1, 0xf7, 0x50, 0x1e, 0xd5, 0xb3, 0x84, 0x88)
const SELL_V3 = Uint8Array.of(0x1c, 0x92, 0xde, 0x77, 0x26, 0xc4, 0x69, 0xd5)

/**
 * A buy or sell on a curve. One that keeps its fees in the curve is `buy_v3`, `buy_exact_quote_in_v3` or
 * `sell_v3`; of the older ones it is `buy`, `buy_exact_sol_in` and `sell`, or with another quote than SOL `buy_v2`
 * and `sell_v2`.
 */
export function writePumpfunTrade(trade: PumpfunTrade): Call {
  const { events } = writeTradeEvents(trade)
  const { name, data } = writeArguments(trade)
  return {
    program: PUMPFUN_PROGRAM,
    accounts: trade.keepsFees ? accountsOfV3(trade) : accountsOfOlder(trade),
    data,
    steps: [
      `log: Instruction: ${name}`,
      writeTokenLeg(trade),
      ...writeQuoteLegs(trade),
      ...events.flatMap((event) => [
        writeEventLog(event),
        writeEventCall(PUMPFUN_PROGRAM, EVENT_AUTHORITY, event),
      ]),
    ],
  }
}

function writeArguments(trade: PumpfunTrade): { name: string; data: Uint8Array } {
  const { curve, isBuy, keepsFees } = trade
  const isExactIn = isBuy && trade.isExactIn && (keepsFees || !curve.quote)
  const tokenAmount = trade.tokenAmount + (trade.beyond?.base ?? 0n)
  const quoteAmount = trade.quoteAmount + (trade.beyond?.quote ?? 0n)
  const total = quoteAmount + trade.fee + trade.creatorFee

  const data = new ByteWriter(25)
  let name: string
  if (keepsFees) {
    data.bytes(isExactIn ? BUY_EXACT_QUOTE_IN_V3 : isBuy ? BUY_V3 : SELL_V3)
    name = isExactIn ? 'BuyExactQuoteInV3' : isBuy ? 'BuyV3' : 'SellV3'
  } else if (curve.quote) {
    data.bytes(isBuy ? BUY_V2 : SELL_V2)
    name = isBuy ? 'BuyV2' : 'SellV2'
  } else {
    data.bytes(isExactIn ? BUY_EXACT_SOL_IN : isBuy ? BUY : SELL)
    name = isExactIn ? 'BuyExactSolIn' : isBuy ? 'Buy' : 'Sell'
  }
  if (isExactIn) data.u64(total).u64((tokenAmount * 9n) / 10n)
  else data.u64(tokenAmount).u64(isBuy ? (total * 11n) / 10n : (quoteAmount * 9n) / 10n)
  // Whether to fill in part (v3), or to track the volume (before v2).
  if (isBuy && (keepsFees || !curve.quote)) data.u8(1)
  return { name, data: data.finish() }
}

function writeTokenLeg(trade: PumpfunTrade): Call {
  const { curve } = trade
  return writeTransferChecked({
    tokenProgram: curve.tokenProgram,
    mint: curve.mint,
    decimals: 6,
    amount: trade.tokenAmount + (trade.beyond?.base ?? 0n),
    ...(trade.isBuy
      ? { from: curve.curveTokens, to: trade.userTokens, authority: curve.curve }
      : { from: trade.userTokens, to: curve.curveTokens, authority: trade.user }),
  })
}

/** A sell pays lamports out of the curve without a call; only tokens are seen to move both ways. */
function writeQuoteLegs(trade: PumpfunTrade): Step[] {
  const { curve, isBuy, user } = trade
  const traded = trade.quoteAmount + (trade.beyond?.quote ?? 0n)
  const kept = trade.keepsFees ? trade.fee + trade.creatorFee - trade.buybackFee : 0n
  if (curve.quote === undefined) {
    if (!isBuy) return []
    return trade.keepsFees
      ? [
          writeLamportTransfer(user, curve.curve, traded + kept),
          writeLamportTransfer(user, BUYBACK_RECIPIENT, trade.buybackFee),
        ]
      : [
          writeLamportTransfer(user, curve.creatorVault, trade.creatorFee),
          writeLamportTransfer(user, curve.curve, traded),
          writeLamportTransfer(user, FEE_RECIPIENT, trade.fee),
        ]
  }
  if (!trade.userQuote) throw new Error('a curve that is not priced in SOL needs the account of its quote')
  const { mint, decimals, curveQuote } = curve.quote
  const leg = { tokenProgram: TOKEN_PROGRAM, mint, decimals }
  const payer = isBuy
    ? { from: trade.userQuote, authority: user }
    : { from: curveQuote, authority: curve.curve }
  const paid = isBuy ? traded + kept : traded - kept - trade.buybackFee
  const steps = [
    writeTransferChecked({ ...leg, ...payer, to: isBuy ? curveQuote : trade.userQuote, amount: paid }),
  ]
  if (trade.buybackFee > 0n) {
    steps.push(writeTransferChecked({ ...leg, ...payer, to: BUYBACK_RECIPIENT, amount: trade.buybackFee }))
  }
  return steps
}

function accountsOfV3(trade: PumpfunTrade): Uint8Array[] {
  const { curve, user } = trade
  return [
    GLOBAL,
    curve.mint,
    curve.quote?.mint ?? WRAPPED_SOL_MINT,
    curve.tokenProgram,
    TOKEN_PROGRAM,
    curve.curve,
    curve.curveTokens,
    // Of a curve priced in SOL the derived account, which need not exist.
    curve.quote?.curveQuote ?? curve.creatorVault,
    user,
    trade.userTokens,
    trade.userQuote ?? user,
    VOLUME_ACCUMULATOR,
    FEE_CONFIG,
    BUYBACK_RECIPIENT,
    SYSTEM_PROGRAM,
    EVENT_AUTHORITY,
    PUMPFUN_PROGRAM,
  ]
}

function accountsOfOlder(trade: PumpfunTrade): Uint8Array[] {
  const { curve, isBuy, user, userTokens } = trade
  if (curve.quote) return accountsOfV2(trade, curve.quote)
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

function accountsOfV2(trade: PumpfunTrade, quote: NonNullable<PumpfunCurve['quote']>): Uint8Array[] {
  const { curve, isBuy, user } = trade
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
    trade.userTokens,
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
