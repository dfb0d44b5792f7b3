import * as z from 'zod'
import { Address, RawAmount } from './amounts.ts'

/** Quote tokens with all their decimals. Null while the supply is unknown. */
const MarketCap = z.string().nullable()

/** A share of the supply, 0 to 1; null while the supply is unknown. */
const Share = z.number().min(0).max(1).nullable()

/** A bonding curve. Members are null where its program does not tell. */
export const CurveFacts = z.object({
  /** Per cent, two decimals, rounded down. */
  progress: z.number().min(0).max(100).nullable(),
  /** Whether this swap filled it. */
  complete: z.boolean().nullable(),
  /** The reserves whose quotient is the price, in raw units. */
  virtualBase: RawAmount.nullable(),
  virtualQuote: RawAmount.nullable(),
})
export type CurveFacts = z.infer<typeof CurveFacts>

/** What is known of a swap beside its `params`. */
export const SwapFacts = z.object({
  marketCap: MarketCap,
  /** The wallet's base tokens after the transaction, in raw units; null where the record does not tell. */
  walletBalance: RawAmount.nullable(),
  /** The curve after this swap; null off curves. */
  curve: CurveFacts.nullable(),
})
export type SwapFacts = z.infer<typeof SwapFacts>

/** What is known of a new pair beside its `params`, after the transaction that created it. */
export const NewPairFacts = z.object({
  /** Whom the program names as creator, else who paid for the creation. */
  creator: Address.nullable(),
  /** The token's page. */
  uri: z.string().nullable(),
  /** The creator's buys in the creating transaction, summed; null for none. */
  creatorBuy: z
    .object({
      baseAmount: RawAmount,
      quoteAmount: RawAmount,
      usdValue: z.number().nullable(),
      supplyShare: Share,
    })
    .nullable(),
  /** Other wallets that bought in the slot of creation; null before its block has ended. */
  slotBuyers: z.number().int().nullable(),
  /** What they bought and did not sell again in that slot. */
  slotBuyShare: Share,
  curve: CurveFacts.nullable(),
  marketCap: MarketCap,
})
export type NewPairFacts = z.infer<typeof NewPairFacts>

/** The facts of events that were kept before there were any. */
export const UNKNOWN_FACTS: Readonly<{ swap: SwapFacts; newPair: NewPairFacts }> = {
  swap: { marketCap: null, walletBalance: null, curve: null },
  newPair: {
    ...{ creator: null, uri: null, creatorBuy: null, slotBuyers: null, slotBuyShare: null },
    ...{ curve: null, marketCap: null },
  },
}
