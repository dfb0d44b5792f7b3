import { ByteWriter } from '../byte-writer.ts'
import { FIXED, NO_MINT, type PumpfunCurve, type PumpfunReserves } from './write-accounts.ts'

const TRADE_EVENT = Uint8Array.of(0xbd, 0xdb, 0x7f, 0xd3, 0x4e, 0xe6, 0x61, 0xee)
const COMPLETE_EVENT = Uint8Array.of(0x5f, 0x72, 0x61, 0x9c, 0xd4, 0x2e, 0x98, 0x08)
const POST_COMPLETE_BUY_EVENT = Uint8Array.of(0x6f, 0xb0, 0x6d, 0x8b, 0x31, 0x6c, 0xd5, 0xfb)

/** Fields of a trade. Amounts in raw units, quote in lamports if the curve is priced in SOL. */
export type PumpfunTrade = Readonly<{
  curve: PumpfunCurve
  isBuy: boolean
  /** Whether a buy has an exact input instead of an exact output. */
  isExactIn: boolean
  /** Whether the fees of protocol and creator stay in the curve until they are swept (v3). */
  keepsFees: boolean
  user: Uint8Array
  userTokens: Uint8Array
  /** The user's quote account; required if the curve is not priced in SOL. */
  userQuote?: Uint8Array
  tokenAmount: bigint
  /** Amount between curve and trader, without fees. */
  quoteAmount: bigint
  feeBasisPoints: bigint
  /** Of both parts, like the creator's, if the buy continues beyond the curve. */
  fee: bigint
  creatorFeeBasisPoints: bigint
  creatorFee: bigint
  /** The part of `fee` paid at once when fees are kept. */
  buybackFee: bigint
  /** The creator's unclaimed fees after the trade. */
  creatorFeeUnclaimed: bigint
  /** After the trade. */
  reserves: PumpfunReserves
  /** Unix seconds. */
  timestamp: number
  /** Whether this buy takes the last token. */
  completes: boolean
  /** The tokens that a completing buy takes from the future pool, and what that pool then opens with. */
  beyond: Readonly<{ base: bigint; quote: bigint; poolBase: bigint; poolQuote: bigint }> | null
}>

/** Writes the events of a trade with their discriminators, in order, in the layout of October 2026. */
export function writeTradeEvents(trade: PumpfunTrade): Uint8Array[] {
  const events = [writeTradeEvent(trade)]
  if (trade.completes) events.push(writeCompleteEvent(trade))
  if (trade.beyond) events.push(writePostCompleteBuyEvent(trade, trade.beyond))
  return events
}

function writeTradeEvent(trade: PumpfunTrade): Uint8Array {
  const { curve, reserves, quoteAmount, feeBasisPoints, creatorFeeBasisPoints } = trade
  // The fields named after SOL stay zero when the curve is priced in another token.
  const isSol = curve.quote === undefined
  const fee = feeOf(quoteAmount, feeBasisPoints)
  return new ByteWriter(400)
    .bytes(TRADE_EVENT, curve.mint)
    .u64(isSol ? quoteAmount : 0n, trade.tokenAmount)
    .bool(trade.isBuy)
    .bytes(trade.user)
    .i64(BigInt(trade.timestamp))
    .u64(isSol ? reserves.virtualQuote : 0n, reserves.virtualTokens)
    .u64(isSol ? reserves.realQuote : 0n, reserves.realTokens)
    .bytes(trade.keepsFees ? NO_MINT : FIXED.feeRecipient) // nobody: the mark of a waiting fee
    .u64(feeBasisPoints, fee)
    .bytes(curve.creator)
    .u64(creatorFeeBasisPoints, feeOf(quoteAmount, creatorFeeBasisPoints))
    .bool(trade.isBuy)
    .zeros(4 * 8) // unclaimed and claimed tokens, the user's volume and its last update
    .string(nameOf(trade))
    .zeros(1 + 8 + 8) // mayhem, cashback and its basis points
    .u64(5_000n, fee / 2n) // buyback
    .u32(0) // shareholders
    .bytes(curve.quote?.mint ?? NO_MINT)
    .u64(quoteAmount, reserves.virtualQuote, reserves.realQuote)
    .zeros(8 + 8) // holder rewards and their basis points
    .u64(trade.creatorFeeUnclaimed)
    .finish()
}

/** The chain's v3 events have the older names, too. */
function nameOf({ curve, isBuy, isExactIn, keepsFees }: PumpfunTrade): string {
  if (!isBuy) return 'sell'
  if (!isExactIn) return 'buy'
  if (keepsFees) return 'buy_exact_quote_in'
  return curve.quote ? 'buy' : 'buy_exact_sol_in'
}

function writeCompleteEvent({ curve, user, timestamp }: PumpfunTrade): Uint8Array {
  return new ByteWriter(150)
    .bytes(COMPLETE_EVENT, user, curve.mint, curve.curve)
    .i64(BigInt(timestamp))
    .bytes(curve.quote?.mint ?? NO_MINT)
    .finish()
}

function writePostCompleteBuyEvent(
  trade: PumpfunTrade,
  { base, quote, poolBase, poolQuote }: NonNullable<PumpfunTrade['beyond']>,
): Uint8Array {
  const { curve, user, feeBasisPoints, creatorFeeBasisPoints } = trade
  const fee = feeOf(quote, feeBasisPoints)
  return new ByteWriter(240)
    .bytes(POST_COMPLETE_BUY_EVENT, user, curve.mint, curve.curve, curve.quote?.mint ?? NO_MINT)
    .i64(BigInt(trade.timestamp))
    .u64(base, quote, feeBasisPoints, fee)
    .u64(creatorFeeBasisPoints, feeOf(quote, creatorFeeBasisPoints), fee / 2n)
    .u64(poolBase + base, poolQuote - quote, poolBase, poolQuote)
    .finish()
}

/** The program rounds fees up. */
function feeOf(amount: bigint, basisPoints: bigint): bigint {
  return (amount * basisPoints + 9_999n) / 10_000n
}
