import { lte, sql } from 'drizzle-orm'
import { deliveredCounts, loginTokens, usedCaptchas } from './schema.ts'
import type { Store } from './store.ts'

/**
 * Deletes tokens and captchas that have expired, and counts that a gateway wrote for an account just after it
 * was deleted. See `Accounts.sweep`.
 */
export async function sweep({ db, now: readClock }: Store): Promise<void> {
  const now = readClock()
  await db.delete(loginTokens).where(lte(loginTokens.expiresAt, now))
  await db.delete(usedCaptchas).where(lte(usedCaptchas.expiresAt, now))
  await db
    .delete(deliveredCounts)
    .where(sql`not exists (select 1 from accounts where accounts.id = ${deliveredCounts.accountId})`)
}
