import { ORDER_DAYS, type OrderStatus, SAMPLE_ORDER } from '@pairwire/contract'
import { eq, getTableColumns } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { orderDownloads, orders } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { isPaidFor } from './order-state.ts'
import { orderToken } from './order-token.ts'

/** An order of an existing account. */
export type HistoryOrder = Readonly<
  Omit<OrderRow, 'priceId' | 'isShort' | 'isOwed'> & {
    accountId: string
    /** The status as people see it: a paid order expires by the clock. */
    status: Exclude<OrderStatus, 'sample'>
    expiresAt: Date | null
    /** Null while nothing may be downloaded. */
    downloadToken: string | null
  }
>

/** A row of `orders` with the number of its downloaded hours. */
export type OrderRow = typeof orders.$inferSelect & { downloadedHours: number }

/** The order that every account has: the sample hour, for ever. */
export type SampleOrder = Readonly<{
  id: typeof SAMPLE_ORDER
  accountId: string
  status: 'sample'
  downloadToken: string
}>

/** Milliseconds after its payment for which an order can be downloaded. */
export const ORDER_MS = ORDER_DAYS * 24 * 60 * 60_000

/** A query for rows of `orders`, each with the number of its downloaded hours; the caller adds the condition. */
export function selectOrders(queries: Queries) {
  const downloadedHours = queries.$count(orderDownloads, eq(orderDownloads.orderId, orders.id))
  return queries
    .select({ ...getTableColumns(orders), downloadedHours })
    .from(orders)
    .$dynamic()
}

/** The order of a row; undefined if its account is gone. */
export function toHistoryOrder(store: Store, row: OrderRow): HistoryOrder | undefined {
  const { accountId, priceId: _price, isShort: _isShort, isOwed: _isOwed, ...kept } = row
  if (accountId === null) return undefined
  const expiresAt = row.paidAt && new Date(row.paidAt.getTime() + ORDER_MS)
  const isExpired = expiresAt !== null && expiresAt <= store.now()
  const isOpen = isPaidFor(row.state) && !isExpired
  return {
    ...kept,
    accountId,
    expiresAt,
    status: isPaidFor(row.state) && isExpired ? 'expired' : row.state,
    downloadToken: isOpen ? orderToken(store.secrets, row.id, accountId) : null,
  }
}

/** The account's sample. */
export function sampleOrder({ secrets }: Store, accountId: string): SampleOrder {
  const downloadToken = orderToken(secrets, SAMPLE_ORDER, accountId)
  return { id: SAMPLE_ORDER, accountId, status: 'sample', downloadToken }
}
