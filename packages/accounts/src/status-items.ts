import { desc } from 'drizzle-orm'
import { statusItems } from './schema.ts'
import type { Store } from './store.ts'

/** See `Accounts.listStatus`. */
export async function listStatus({ db }: Store): Promise<{ Details: string }[]> {
  const rows = await db
    .select({ details: statusItems.details })
    .from(statusItems)
    .orderBy(desc(statusItems.id))
  return rows.map(({ details }) => ({ Details: details }))
}

/** See `Accounts.addStatus`. */
export async function addStatus({ db, now }: Store, details: string): Promise<void> {
  await db.insert(statusItems).values({ details, createdAt: now() })
}

/** See `Accounts.clearStatus`. */
export async function clearStatus({ db }: Store): Promise<void> {
  await db.delete(statusItems)
}
