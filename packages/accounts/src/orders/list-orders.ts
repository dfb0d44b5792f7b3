import { ORDERS_MAX, type OrderStatus } from '@pairwire/contract'
import { and, asc, desc, eq, gt, inArray, isNotNull, lte, type SQL, sql } from 'drizzle-orm'
import { isAccountId } from '../database/account-id.ts'
import { orderEvents, orders } from '../database/schema.ts'
import { listEmails } from '../people/emails.ts'
import type { Store } from '../store.ts'
import { type HistoryOrder, ORDER_MS, type OrderRow, selectOrders, toHistoryOrder } from './history-order.ts'
import type { OrderReport } from './order-event.ts'

/** An order with the email of its account. */
export type OwnedOrder = HistoryOrder & Readonly<{ email: string }>

/** An order as the operator sees it: with the provider's reports on its payment, oldest first. */
export type KnownOrder = OwnedOrder &
  Readonly<{
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

/** Lists the orders of all accounts, newest first, {@link ORDERS_MAX} at most; optionally of one status or account, and after that of a number. */
export async function listAllOrders(
  store: Store,
  status?: HistoryOrder['status'],
  accountId?: string,
  before?: number,
): Promise<OwnedOrder[]> {
  const isOfAccount = accountId === undefined ? undefined : eq(orders.accountId, accountId)
  const place = sql`select last.created_at, last.id from ${orders} last where last.id = ${before}`
  const isOlder = before === undefined ? undefined : sql`(${orders.createdAt}, ${orders.id}) < (${place})`
  return withEmails(store, await newest(store, and(isOfAccount, status && hasStatus(store, status), isOlder)))
}

/** Reads everything known about an order, for the operator; undefined if it does not exist or its account is gone. */
export async function readKnownOrder(store: Store, orderId: number): Promise<KnownOrder | undefined> {
  const isNumber = Number.isInteger(orderId) && orderId > 0 && orderId < 1e9
  const [order] = isNumber ? await withEmails(store, await newest(store, eq(orders.id, orderId))) : []
  if (!order) return undefined
  const { type, occurredAt, amount, currency, provider, transactionId } = orderEvents
  const isOfOrder = and(eq(provider, order.provider ?? ''), eq(transactionId, order.transactionId ?? ''))
  const events = await store.db
    .select({ type, occurredAt, amount, currency })
    .from(orderEvents)
    .where(isOfOrder)
    .orderBy(asc(occurredAt))
  return { ...order, events }
}

/** The condition on `orders` for having this status. */
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
    .where(and(isNotNull(orders.accountId), isWanted))
    .orderBy(desc(orders.createdAt), desc(orders.id))
    .limit(ORDERS_MAX)
  return rows.flatMap((row) => toHistoryOrder(store, row) ?? [])
}

async function withEmails(store: Store, found: readonly HistoryOrder[]): Promise<OwnedOrder[]> {
  const owners = found.map(({ accountId }) => accountId)
  const emails = await listEmails(store, owners)
  return found.flatMap((order) => {
    const email = emails.get(order.accountId)
    return email === undefined ? [] : [{ ...order, email }]
  })
}
