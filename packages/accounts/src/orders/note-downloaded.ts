import { orderDownloads } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** Records that the zip of an hour of an order was downloaded; repeated calls change nothing. `hour` is its name. */
export async function noteDownloaded({ db }: Store, orderId: number, hour: string): Promise<void> {
  await db.insert(orderDownloads).values({ orderId, hour }).onConflictDoNothing()
}
