import { randomUUID } from 'node:crypto'
import { AppError, type PlanId, planById } from '@pairwire/contract'
import { and, eq, isNull } from 'drizzle-orm'
import { subscriptions } from '../database/schema.ts'
import { type FoundAccount, findAccount, requireAccountId } from '../people/find-account.ts'
import { lockAccount } from '../people/lock-account.ts'
import type { Store } from '../store.ts'

/**
 * Grants a plan that only the operator can end, changes the current grant, or with `planId` null removes it. A changed grant
 * keeps its start, and so its billing period; without `connections` the plan's own number applies. Other plans of the account
 * (a trial, a paid plan) continue beneath it. @throws ERR_NOT_FOUND
 */
export async function grantPlan(
  store: Store,
  email: string,
  planId: PlanId | null,
  connections?: number,
): Promise<FoundAccount> {
  if (
    connections !== undefined &&
    !(Number.isInteger(connections) && connections >= 1 && connections <= 1_000_000)
  ) {
    throw new AppError(
      'ERR_VALIDATION',
      'The number of connections must be a whole number from 1 to 1000000.',
    )
  }

  if (planId !== null && !planById(planId)) throw new AppError('ERR_VALIDATION', 'There is no such plan.')

  await store.db.transaction(async (tx) => {
    const accountId = await requireAccountId(tx, email)
    await lockAccount(tx, accountId)
    const now = store.now()
    const grant = and(
      eq(subscriptions.accountId, accountId),
      eq(subscriptions.kind, 'grant'),
      isNull(subscriptions.endedAt),
    )
    if (planId === null) {
      await tx.update(subscriptions).set({ endedAt: now }).where(grant)
      return
    }

    const connectionLimit = connections ?? null
    const changed = await tx
      .update(subscriptions)
      .set({ planId, connectionLimit })
      .where(grant)
      .returning({ id: subscriptions.id })
    if (changed.length > 0) return
    await tx
      .insert(subscriptions)
      .values({ id: randomUUID(), accountId, kind: 'grant', planId, connectionLimit, startedAt: now })
  })
  await store.barrier()
  return findAccount(store, email)
}
