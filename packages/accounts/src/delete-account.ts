import { AppError } from '@pairwire/contract'
import { eq } from 'drizzle-orm'
import { lockAccount } from './lock-account.ts'
import { readRunningPaid } from './paid-subscription.ts'
import { readPlansInForce } from './plan-in-force.ts'
import { accounts, deliveredCounts, deliveredDays, streamConnections } from './schema.ts'
import type { Store } from './store.ts'

/**
 * Deletes the account with its key, tokens, sessions, subscriptions, their provider's reports, counts and connections. Only the keyed hash of an email that had
 * a trial stays. Refused while a paid plan or an operator's grant, which is shown as one, runs on; a trial or a
 * cancelled plan is no obstacle. See `Accounts.deleteAccount`.
 */
export async function deleteAccount(store: Store, accountId: string): Promise<void> {
  await store.db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    const now = store.now()
    const plans = await readPlansInForce(tx, accountId, now)
    const paid = await readRunningPaid(tx, accountId, now)
    // One that waits for its payment would be charged again.
    const isPaying = paid.some(({ cancelledAt }) => cancelledAt === null)
    if (isPaying || plans.some(({ kind }) => kind === 'grant')) throw new AppError('ACTIVE_SUBSCRIPTION')
    await tx.delete(accounts).where(eq(accounts.id, accountId))
    for (const table of [deliveredCounts, deliveredDays, streamConnections]) {
      await tx.delete(table).where(eq(table.accountId, accountId))
    }
  })
  await store.barrier()
}
