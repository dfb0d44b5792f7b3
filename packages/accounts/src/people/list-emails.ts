import { inArray } from 'drizzle-orm'
import { accounts } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** The emails of these accounts, by id; those that are gone are missing. */
export async function listEmails({ db }: Store, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: accounts.id, email: accounts.email })
    .from(accounts)
    .where(inArray(accounts.id, [...new Set(ids)]))
  return new Map(rows.map(({ id, email }) => [id, email]))
}
