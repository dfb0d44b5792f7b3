import * as z from 'zod'
import { Address, RawAmount } from './events/amounts.ts'
import type { NewPairFacts, SwapFacts } from './events/facts.ts'
import { MIGRATION_SOURCES } from './exchanges.ts'

/** The launchpad of a curve, and of a pool that it opened; an open list, null or absent if none or unknown. */
const LaunchpadName = z.string().nullable().optional()

/** Unix seconds. */
const BlockTime = z.number().int()

/** Links of a token's project; each null if its metadata lacks it. */
export const Socials = z.object({
  website: z.string().nullable(),
  x: z.string().nullable(),
  telegram: z.string().nullable(),
})
export type Socials = z.infer<typeof Socials>

/** Details of a token's mint. `supply` is in raw units; authorities are those after the transaction. */
export const TokenInfo = z.object({
  decimals: z.number().int().min(0).max(255),
  supply: RawAmount,
  metadata: z
    .object({
      name: z.string(),
      symbol: z.string(),
      logo: z.string().nullable(),
      socials: Socials.nullable(),
    })
    .nullable(),
  mintAuthority: Address.nullable(),
  freezeAuthority: Address.nullable(),
})
export type TokenInfo = z.infer<typeof TokenInfo>

/** A token of a pair. `info` is null for wrapped SOL, and while decimals or supply are unknown. */
export const PairToken = z.object({ account: Address, info: TokenInfo.nullable() })
export type PairToken = z.infer<typeof PairToken>

/** First appearance of a pool, or of a curve on a launchpad. */
export const NewPair = z.object({
  sourceExchange: z.string(),
  launchpad: LaunchpadName,
  ammAccount: Address,
  baseToken: PairToken,
  quoteToken: PairToken,
  /** What the pool's vaults received at creation; for a curve the tokens it holds, and quote "0". */
  baseTokenLiquidityAdded: RawAmount,
  quoteTokenLiquidityAdded: RawAmount,
  /** The launchpad that the token graduated from. */
  migration: z.enum(MIGRATION_SOURCES).nullable(),
})
export type NewPair = z.infer<typeof NewPair>

/** One pool's trade. Amounts are the pool's side, in raw units. */
export const Swap = z.object({
  sourceExchange: z.string(),
  launchpad: LaunchpadName,
  ammAccount: Address,
  baseTokenMint: Address,
  quoteTokenMint: Address,
  walletAccount: Address,
  /** quoteAmount / baseAmount with decimals applied; at least 9 significant digits. */
  quotePrice: z.string().min(1),
  /** US dollars, or null if no price was known within the last 60 s of block time. */
  usdValue: z.number().nullable(),
  baseAmount: RawAmount,
  quoteAmount: RawAmount,
  /** Of the base token, seen from the wallet. */
  swapType: z.enum(['buy', 'sell']),
  /** Raw units in the pool after this swap; empty if unknown. */
  quoteTokenLiquidity: z.union([RawAmount, z.literal('')]),
})
export type Swap = z.infer<typeof Swap>

/** The position of an event in the chain. */
const place = { slot: z.number().int(), signature: z.string(), blockTime: BlockTime }

/** `params` of a newPairNotification. */
export const NewPairParams = z.object({ ...place, pair: NewPair })
export type NewPairParams = z.infer<typeof NewPairParams>

/** `params` of a swapNotification. */
export const SwapParams = z.object({ ...place, swap: Swap })
export type SwapParams = z.infer<typeof SwapParams>

/** `params` of a latestBlockNotification: `block` is the slot. */
export const LatestBlockParams = z.object({ block: z.number().int(), blockTime: BlockTime })
export type LatestBlockParams = z.infer<typeof LatestBlockParams>

/**
 * Slots, both ends inclusive, in which something could not be delivered. `upstream`: the source of the chain did not deliver
 * it. `slow_consumer`: the client did not read it. `deploy`: the service was away, or could not keep what it published.
 */
export const GapParams = z.object({
  fromSlot: z.number().int(),
  toSlot: z.number().int(),
  cause: z.enum(['upstream', 'slow_consumer', 'deploy']),
  /** The cursor from which a subscribe still gets it; null if nobody has it. */
  resume_from: z.string().nullable(),
})
export type GapParams = z.infer<typeof GapParams>

/** A pair that was sent without its token's name or logo, now that they are known. */
export const PairUpdateParams = z.object({ ammAccount: Address, baseToken: PairToken })
export type PairUpdateParams = z.infer<typeof PairUpdateParams>

/**
 * What travels over the bus in chain order: an event, or a gap between events. Each has its position as a cursor, though a
 * gap's is not sent.
 */
export type StreamEvent = NotificationEvent | GapEvent

/** A gap, announced to every subscription. */
export type GapEvent = Readonly<{ kind: 'gap'; cursor: string; params: GapParams }>

/**
 * An event: its kind, its cursor and the `params` of its notification. A `latestBlock` event has the cursor of the last
 * position in its block. An `unplaced` one came in order of arrival: its cursor is only for the order on the bus and is not
 * sent. One of `commitment` processed is for subscriptions to executed events: it is unplaced too. `receivedAt`: when its
 * block, or the event itself, arrived from the chain, in Unix milliseconds. `facts` are sent to clients that ask for them;
 * events of earlier versions and of the archive have none. The hashes of a block, if its source has them, prove an archived
 * hour; they are never sent to clients.
 */
export type NotificationEvent = Readonly<{
  cursor: string
  unplaced?: true
  commitment?: 'processed'
  receivedAt?: number
}> &
  (
    | Readonly<{ kind: 'newPair'; params: NewPairParams; facts?: NewPairFacts }>
    | Readonly<{ kind: 'swap'; params: SwapParams; facts?: SwapFacts }>
    | Readonly<{
        kind: 'latestBlock'
        params: LatestBlockParams
        blockhash?: string
        parentBlockhash?: string
      }>
  )
