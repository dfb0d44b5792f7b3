import { orderDownloads } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** Remembers that the zip of an hour of an order was downloaded; more than once changes nothing. `hour` is its name. */
export async function noteDownloaded({ db }: Store, orderId: number, hour: string): Promise<void> {
  await db.insert(orderDownloads).values({ orderId, hour }).onConflictDoNothing()
}
