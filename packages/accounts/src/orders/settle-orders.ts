import { HOUR_MS, HOUR_PENDING_MS } from '@pairwire/contract'
import { and, eq, gt, inArray, isNotNull, lte } from 'drizzle-orm'
import { lockAccountIfThere } from '../database/lock-account.ts'
import { orders } from '../database/schema.ts'
import { queueOrderNotice } from '../mails/queue-mail.ts'
import { commit, type Store } from '../store.ts'
import { type HistoryOrder, ORDER_MS, selectOrders, toHistoryOrder } from './history-order.ts'
import { nextOrderState, type OrderState } from './order-state.ts'

/** Milliseconds for which an order waits for its payment. */
export const UNPAID_MS = 24 * HOUR_MS

/** Milliseconds after a payment within which all of its hours must exist. */
const DELIVERY_MS = 24 * HOUR_MS

/** Lists paid orders that can be downloaded, oldest first: their hours should exist. */
export async function listOpenOrders(store: Store): Promise<HistoryOrder[]> {
  const rows = await selectOrders(store.db).where(isOpen(store)).orderBy(orders.createdAt)
  return rows.flatMap((row) => toHistoryOrder(store, row) ?? [])
}

/**
 * Applies `missing`, the starts of the missing hours of an order, to its state: it fails a day after its payment, or at once
 * if an hour is gone, and is paid again once none is missing. Its buyer gets one mail for each: when all hours exist for the
 * first time, and when it has failed.
 *
 * @returns the new state; undefined for an order that is not open
 */
export async function settleOrder(
  store: Store,
  { id, accountId }: Pick<HistoryOrder, 'id' | 'accountId'>,
  missing: readonly number[],
): Promise<Readonly<{ from: OrderState; to: OrderState }> | undefined> {
  return commit(store, async (tx) => {
    if (!(await lockAccountIfThere(tx, accountId))) return undefined
    const [row] = await tx
      .select()
      .from(orders)
      .where(and(eq(orders.id, id), isOpen(store)))
      .for('update')
    if (!row?.paidAt) return undefined

    const now = store.now()
    // Money that comes late buys what is there then.
    const boughtAt = Math.max(row.createdAt.getTime(), row.paidAt.getTime() - UNPAID_MS)
    const isGone = missing.some((hour) => hour + HOUR_MS + HOUR_PENDING_MS <= boughtAt)
    const isLate = row.paidAt.getTime() + DELIVERY_MS <= now.getTime()
    const isWhole = missing.length === 0
    const isShort = !isWhole && (row.isShort || isGone || isLate)
    const to = isShort || isWhole ? nextOrderState(row.state, isShort ? 'short' : 'whole') : row.state
    const readyAt = row.readyAt ?? (isWhole ? now : null)
    if (to === row.state && readyAt === row.readyAt) return { from: row.state, to }

    await tx.update(orders).set({ state: to, isShort, readyAt }).where(eq(orders.id, id))
    const template = isShort ? 'history_failed' : 'history_ready'
    const letter = { template, orderId: id, from: row.from, to: row.to, missing: missing.length } as const
    await queueOrderNotice(store, tx, accountId, letter)
    return { from: row.state, to }
  })
}

/** Marks orders that were not paid within a day. */
export async function lapseOrders({ db, now }: Store): Promise<void> {
  const oldest = new Date(now().getTime() - UNPAID_MS)
  await db
    .update(orders)
    .set({ state: nextOrderState('awaiting_payment', 'lapsed') })
    .where(and(eq(orders.state, 'awaiting_payment'), lte(orders.createdAt, oldest)))
}

/** Counts paid orders that lack hours. */
export async function countFailedOrders(store: Store): Promise<number> {
  return store.db.$count(orders, and(isOpen(store), eq(orders.state, 'failed')))
}

/** The condition on `orders` for being paid, not expired, and of an existing account. */
export function isOpen({ now }: Store) {
  return and(
    inArray(orders.state, ['paid', 'failed']),
    gt(orders.paidAt, new Date(now().getTime() - ORDER_MS)),
    isNotNull(orders.accountId),
  )
}
