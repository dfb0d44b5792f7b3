import { and, eq } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { orderDownloads, orderEvents, orders } from '../database/schema.ts'

/**
 * Removes personal data from an account's orders. Their numbers and payments stay, since money may still arrive or be
 * refunded. The caller locks the account, and deletes it.
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
