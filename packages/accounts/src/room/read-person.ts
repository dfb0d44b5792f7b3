import { AppError } from '@pairwire/contract'
import { desc, eq } from 'drizzle-orm'
import { accounts, subscriptions } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** What an operator may know of an account beside its row of the list; the key by its hint only. */
export async function readPerson({ db, secrets }: Store, accountId: string) {
  const [found] = await db.select().from(accounts).where(eq(accounts.id, accountId))
  if (!found) throw new AppError('ERR_NOT_FOUND', 'This account is gone.')
  const { keySealed, origin, marketingEmails, seenAddress, suspendedAt: since } = found
  const key = secrets.keys.open(keySealed, accountId)
  return {
    ...{ origin, marketingEmails, seenAddress },
    keyHint: `${key.slice(0, 4)}…${key.slice(-2)}`,
    suspension: since && { since, reason: found.suspensionReason, message: found.suspensionMessage },
    /** Plans that run and that ended, the last begun first. */
    subscriptions: await db
      .select()
      .from(subscriptions)
      .where(eq(subscriptions.accountId, accountId))
      .orderBy(desc(subscriptions.startedAt), desc(subscriptions.id)),
  }
}
