import * as z from 'zod/mini'
import { SOURCE_KINDS } from '../history/source-kinds.ts'
import { WholeHour } from '../history/whole-hour.ts'
import { OfferId, OWNED_STATUSES } from '../history-answers.ts'
import { list, verb, Who } from './verb.ts'

const OrderId = z.int()

/** An order as the operator sees it. */
const OwnedOrder = z.object({
  id: OrderId,
  accountId: z.string(),
  email: z.string(),
  source: z.enum(SOURCE_KINDS),
  offer: OfferId,
  from: z.string(),
  to: z.string(),
  usd: z.int(),
  status: z.enum(OWNED_STATUSES),
  /** Null until a provider was asked for payment, and for a granted order. */
  provider: z.nullable(z.string()),
  transactionId: z.nullable(z.string()),
  createdAt: z.string(),
  paidAt: z.nullable(z.string()),
  expiresAt: z.nullable(z.string()),
  readyAt: z.nullable(z.string()),
  downloadedHours: z.int(),
})
export type OwnedOrderRow = z.infer<typeof OwnedOrder>

/** The same with the provider's reports on its payment, oldest first. */
const KnownOrder = z.object({
  ...OwnedOrder.shape,
  events: z.array(
    z.object({
      type: z.string(),
      occurredAt: z.string(),
      /** In the currency's smallest unit. */
      amount: z.optional(z.string()),
      currency: z.nullable(z.string()),
    }),
  ),
})
export type KnownOrderRow = z.infer<typeof KnownOrder>

/** Verbs on orders of history. */
export const ORDER_VERBS = {
  'order create': verb({
    access: 'write',
    input: { who: Who, offer: OfferId, to: z.optional(WholeHour) },
    row: KnownOrder,
    words: { who: '<who>', offer: '--offer <offer>', to: '[--to T]' },
    help: 'gives hours of history for nothing, up to the hour T; without one, up to the last whole hour',
  }),
  'order list': list({
    input: { state: z.optional(z.enum(OWNED_STATUSES)), account: z.optional(Who) },
    row: OwnedOrder,
    words: { state: '[--state <state>]', account: '[--account <who>]' },
    help: 'orders, newest first',
  }),
  'order show': verb({
    access: 'read',
    input: { id: OrderId },
    row: KnownOrder,
    words: { id: '<id>' },
    help: 'what is known of an order and its payment',
  }),
  'order refund': verb({
    access: 'grave',
    input: { id: OrderId },
    row: KnownOrder,
    words: { id: '<id>' },
    help: 'asks the provider to give the whole money back',
  }),
}
