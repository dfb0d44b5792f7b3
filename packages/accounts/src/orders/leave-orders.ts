import { and, eq } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { orderDownloads, orderEvents, orders } from '../database/schema.ts'

/**
 * Takes what tells of an account from its orders, which stay by their numbers and payments: money may still come or go
 * for them. The caller holds the account, and deletes it.
 */
export async function leaveOrders(queries: Queries, accountId: string): Promise<void> {
  const own = await queries
    .update(orders)
    .set({ accountId: null })
    .where(eq(orders.accountId, accountId))
    .returning({ id: orders.id, provider: orders.provider, transactionId: orders.transactionId })
  for (const { id, provider, transactionId } of own) {
    await queries.delete(orderDownloads).where(eq(orderDownloads.orderId, id))
    if (!provider || !transactionId) continue
    await queries
      .update(orderEvents)
      .set({ raw: null })
      .where(and(eq(orderEvents.provider, provider), eq(orderEvents.transactionId, transactionId)))
  }
}
