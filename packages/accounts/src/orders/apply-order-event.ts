import { and, eq, sql } from 'drizzle-orm'
import { keepReport } from '../billing/billing-event-row.ts'
import { toMoneyColumns } from '../database/money.ts'
import type { Queries } from '../database/open-database.ts'
import { orderEvents, orders } from '../database/schema.ts'
import { commit, type Store } from '../store.ts'
import { foldOrder } from './fold-order.ts'
import type { OrderEvent, OrderOutcome, ProviderTransaction } from './order-event.ts'
import { isPaidFor } from './order-state.ts'
import { UNPAID_MS } from './settle-orders.ts'

/**
 * Applies a payment provider's report on a single payment once, however often and in whatever order reports arrive: all
 * reports of a payment are kept, and the state of its order is computed again from all of them. The owner is that of the
 * order for which we created the payment, whatever the report says.
 */
export async function applyOrderEvent(store: Store, event: OrderEvent): Promise<OrderOutcome> {
  // Of a repeated one the delivery that was applied may not be on the disk yet: that is waited for too.
  return commit(store, async (tx): Promise<OrderOutcome> => {
    await holdTransaction(tx, event)
    const order = await lockOrder(tx, event)
    if (!order && event.report.type === 'charged' && !event.isForHistory) return { outcome: 'not_ours' }
    // A message names its payer, of whom nothing is kept once the account is gone.
    const kept = order?.accountId === null ? { ...event, raw: null } : event
    if (!(await keep(store, tx, kept))) return { outcome: 'repeated' }

    const isCharged = event.report.type === 'charged' || event.report.type === 'restored'
    const folded = await refoldOrder(store, tx, event)
    if (!folded) return { outcome: 'nobodys', isCharged, orderId: undefined }
    const { orderId, from, to, priceId, isGone, isOwed } = folded
    const isOtherPrice = event.report.type === 'charged' && event.report.priceId !== priceId
    // A reversed chargeback of hours that were bought before is a change like any other.
    if (isOtherPrice || (isGone && (isOwed || !isCharged))) return { outcome: 'nobodys', isCharged, orderId }
    return { outcome: 'applied', orderId, from, to }
  })
}

/** Folds the order of a payment again from all its reports; undefined if there is none. The caller commits. */
export async function refoldOrder(store: Store, queries: Queries, transaction: ProviderTransaction) {
  const row = await lockOrder(queries, transaction)
  if (!row) return undefined
  const events = await queries.select().from(orderEvents).where(isOf(orderEvents, transaction))
  const { priceId, isShort } = row
  const isOld = row.createdAt.getTime() + UNPAID_MS <= store.now().getTime()
  const { state, paidAt } = foldOrder(
    { priceId, isShort, isOld },
    events.map(({ occurredAt, type, priceId }) => ({ occurredAt, report: { type, priceId } })),
  )
  const isGone = row.accountId === null
  // Money that arrived before the account was deleted bought its hours.
  const isOwed = row.isOwed || (isGone && isPaidFor(state) && row.paidAt === null)
  await queries.update(orders).set({ state, paidAt, isOwed }).where(eq(orders.id, row.id))
  return { orderId: row.id, from: row.state, to: state, priceId, isGone, isOwed }
}

/** Locks a payment until the transaction ends, even while no order is known for it. */
export async function holdTransaction(
  queries: Queries,
  { provider, transactionId }: ProviderTransaction,
): Promise<void> {
  const name = `order ${provider} ${transactionId}`
  await queries.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`)
}

async function lockOrder(queries: Queries, transaction: ProviderTransaction) {
  const [row] = await queries.select().from(orders).where(isOf(orders, transaction)).for('update')
  return row
}

function isOf(table: typeof orders | typeof orderEvents, { provider, transactionId }: ProviderTransaction) {
  return and(eq(table.provider, provider), eq(table.transactionId, transactionId))
}

/** @returns false if another delivery came first */
function keep(store: Store, queries: Queries, event: OrderEvent): Promise<boolean> {
  const { report, transactionId } = event
  const said =
    report.type === 'charged'
      ? { priceId: report.priceId, ...toMoneyColumns(report) }
      : { adjustmentId: report.adjustmentId, ...toMoneyColumns(report.money) }
  return keepReport(store, queries, orderEvents, event, { type: report.type, transactionId, ...said })
}
