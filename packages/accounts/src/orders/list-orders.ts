import { ORDERS_MAX, type OrderStatus } from '@pairwire/contract'
import { and, asc, desc, eq, gt, inArray, isNotNull, lte, type SQL } from 'drizzle-orm'
import { accounts, orderEvents, orders } from '../database/schema.ts'
import { isAccountId } from '../people/account-id.ts'
import type { Store } from '../store.ts'
import { type HistoryOrder, ORDER_MS, type OrderRow, selectOrders, toHistoryOrder } from './history-order.ts'
import type { OrderReport } from './order-event.ts'

/** An order as the operator sees it: with whose it is, and what the provider said of its payment, oldest first. */
export type KnownOrder = HistoryOrder &
  Readonly<{
    email: string
    events: readonly Readonly<{
      type: OrderReport['type']
      occurredAt: Date
      amount: bigint | null
      currency: string | null
    }>[]
  }>

/** Lists the account's orders, newest first, {@link ORDERS_MAX} at most. */
export async function listOrders(store: Store, accountId: string): Promise<HistoryOrder[]> {
  return isAccountId(accountId) ? newest(store, eq(orders.accountId, accountId)) : []
}

/** Lists everybody's orders, newest first, {@link ORDERS_MAX} at most; of one status where it is named. */
export async function listAllOrders(store: Store, status?: HistoryOrder['status']): Promise<HistoryOrder[]> {
  return newest(store, and(isNotNull(orders.accountId), status && hasStatus(store, status)))
}

/** All that is known of an order, for the operator; undefined where there is none, or its account is gone. */
export async function readKnownOrder(store: Store, orderId: number): Promise<KnownOrder | undefined> {
  const [order] =
    Number.isSafeInteger(orderId) && orderId < 1e9 ? await newest(store, eq(orders.id, orderId)) : []
  if (!order) return undefined
  const { accountId, provider, transactionId } = order
  const [account] = await store.db
    .select({ email: accounts.email })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  if (!account) return undefined
  const isOfOrder = and(
    eq(orderEvents.provider, provider ?? ''),
    eq(orderEvents.transactionId, transactionId ?? ''),
  )
  const { type, occurredAt, amount, currency } = orderEvents
  const events = await store.db
    .select({ type, occurredAt, amount, currency })
    .from(orderEvents)
    .where(isOfOrder)
    .orderBy(asc(occurredAt))
  return { ...order, email: account.email, events }
}

/** The condition on `orders` for being shown with this status. */
function hasStatus({ now }: Store, status: OrderStatus): SQL | undefined {
  const lastDay = new Date(now().getTime() - ORDER_MS)
  if (status === 'expired') return and(inArray(orders.state, ['paid', 'failed']), lte(orders.paidAt, lastDay))
  if (status === 'paid' || status === 'failed') {
    return and(eq(orders.state, status), gt(orders.paidAt, lastDay))
  }
  return status === 'sample' ? undefined : eq(orders.state, status)
}

async function newest(store: Store, isWanted: SQL | undefined): Promise<HistoryOrder[]> {
  const rows: OrderRow[] = await selectOrders(store.db)
    .where(isWanted)
    .orderBy(desc(orders.createdAt), desc(orders.id))
    .limit(ORDERS_MAX)
  return rows.flatMap((row) => toHistoryOrder(store, row) ?? [])
}
