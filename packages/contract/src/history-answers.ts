import * as z from 'zod/mini'
import { SOURCE_KINDS } from './history/source-kinds.ts'

// Offers of history, and the answers of the calls about it, in zod's small build, since pages read them.
// Times are RFC 3339 in UTC.

/** A length of history on sale. */
export type HistoryOffer = Readonly<{
  id: 'hour' | 'day' | 'week' | 'month'
  label: string
  hours: number
  usd: number
}>

/** The shop's four choices. */
export const HISTORY_OFFERS: readonly HistoryOffer[] = [
  { id: 'hour', label: '1 hour', hours: 1, usd: 5 },
  { id: 'day', label: '1 day', hours: 24, usd: 10 },
  { id: 'week', label: '1 week', hours: 168, usd: 60 },
  { id: 'month', label: '1 month', hours: 720, usd: 200 },
]

/** States of an order that somebody placed or was given. */
export const OWNED_STATUSES = ['awaiting_payment', 'paid', 'lapsed', 'failed', 'refunded', 'expired'] as const

/**
 * States of an order as people see it. `lapsed`: not paid within a day. `expired`: paid for more than 30 days ago. `sample`:
 * the one that every account has, which never expires.
 */
export const ORDER_STATUSES = ['sample', ...OWNED_STATUSES] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** Days after its payment for which an order can be downloaded. */
export const ORDER_DAYS = 30

/** Orders that are listed. */
export const ORDERS_MAX = 200

/** The number of the order that every account has: the sample. */
export const SAMPLE_ORDER = 1

export const OfferId = z.enum(['hour', 'day', 'week', 'month'])

/** The 720 hours up to `to`, oldest first, and what can be ordered. */
export const HistoryAnswer = z.object({
  source: z.enum(SOURCE_KINDS),
  simulated: z.boolean(),
  /** Why nothing can be ordered, whichever of these hours are chosen, in a sentence; null otherwise. */
  reason: z.nullable(z.string()),
  /** Name of the sample hour; null while there is none. */
  sample: z.nullable(z.string()),
  to: z.string(),
  hours: z.array(
    z.object({
      hour: z.string(),
      state: z.enum(['complete', 'incomplete', 'pending', 'missing']),
      swaps: z.int(),
      pairs: z.int(),
      /** Bytes of the zip. */
      size: z.int(),
    }),
  ),
  offers: z.array(
    z.object({
      id: OfferId,
      usd: z.int(),
      from: z.string(),
      to: z.string(),
      available: z.boolean(),
      /** Why it cannot be ordered, by its hours; null if it can. */
      reason: z.nullable(z.string()),
      /** Names of the incomplete hours of the window. */
      incomplete: z.array(z.string()),
      swaps: z.int(),
      pairs: z.int(),
      zipBytes: z.int(),
      parquetBytes: z.int(),
    }),
  ),
})
export type HistoryAnswer = z.infer<typeof HistoryAnswer>

/** One of the account's orders. `id` has nine digits, or is {@link SAMPLE_ORDER}. */
export const Order = z.object({
  id: z.int(),
  offer: OfferId,
  from: z.string(),
  to: z.string(),
  usd: z.int(),
  status: z.enum(ORDER_STATUSES),
  createdAt: z.string(),
  paidAt: z.nullable(z.string()),
  expiresAt: z.nullable(z.string()),
  hours: z.int(),
  /** Archived hours, those whose zip was downloaded, and those with gaps. */
  readyHours: z.int(),
  downloadedHours: z.int(),
  incompleteHours: z.int(),
  swaps: z.int(),
  pairs: z.int(),
  zipBytes: z.int(),
  parquetBytes: z.int(),
  /** Null while nothing may be downloaded. */
  downloadToken: z.nullable(z.string()),
})
export type Order = z.infer<typeof Order>

/** A file of an hour, as the orders page lists it. */
const OrderFile = z.object({ name: z.string(), bytes: z.int(), sha256: z.string(), rows: z.int() })

/** An order with the files of its archived hours, oldest first. */
export const OrderWithFiles = z.object({
  ...Order.shape,
  files: z.array(z.object({ hour: z.string(), complete: z.boolean(), files: z.array(OrderFile) })),
})
export type OrderWithFiles = z.infer<typeof OrderWithFiles>

/** The account's orders, newest first, {@link ORDERS_MAX} at most; without the sample. */
export const Orders = z.array(Order)
export type Orders = z.infer<typeof Orders>

/** A new order, and where to pay for it: a page of the service itself, or the provider's window with this transaction. */
export const NewOrder = z.object({
  order: Order,
  checkout: z.discriminatedUnion('provider', [
    z.object({ provider: z.literal('sandbox'), url: z.string() }),
    z.object({ provider: z.literal('paddle'), transactionId: z.string() }),
  ]),
})
export type NewOrder = z.infer<typeof NewOrder>
