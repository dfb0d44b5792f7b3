import { randomUUID } from 'node:crypto'
import { type Account, AppError, type PlanId, planById, TRIAL_DAYS } from '@pairwire/contract'
import { lockAccount } from './lock-account.ts'
import { readPlansInForce } from './plan-in-force.ts'
import { readAccount } from './read-account.ts'
import { subscriptions, usedTrials } from './schema.ts'
import type { Store } from './store.ts'

/** Milliseconds of the free trial. */
const TRIAL_MS = TRIAL_DAYS * 24 * 60 * 60_000

/**
 * Starts the free trial, which is given once for an email, also across a deletion. See `Accounts.startTrial`.
 */
export async function startTrial(store: Store, accountId: string, planId: PlanId): Promise<Account> {
  if (!planById(planId)) throw new AppError('ERR_VALIDATION', 'There is no such plan.')

  const account = await store.db.transaction(async (tx) => {
    const { emailNormalised } = await lockAccount(tx, accountId)
    const now = store.now()
    const plans = await readPlansInForce(tx, accountId, now)
    if (plans.some(({ kind }) => kind !== 'trial')) throw new AppError('SUBSCRIPTION_EXISTS')

    const first = await tx
      .insert(usedTrials)
      .values({ emailHash: store.secrets.hashEmail(emailNormalised), usedAt: now })
      .onConflictDoNothing()
      .returning({ usedAt: usedTrials.usedAt })
    if (first.length === 0) throw new AppError('TRIAL_USED')

    await tx.insert(subscriptions).values({
      id: randomUUID(),
      accountId,
      kind: 'trial',
      planId,
      startedAt: now,
      endsAt: new Date(now.getTime() + TRIAL_MS),
    })
    return readAccount(store, tx, accountId)
  })
  if (!account) throw new AppError('ERR_LOGIN_REQUIRED')
  await store.barrier()
  return account
}
