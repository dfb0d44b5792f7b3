import { randomUUID } from 'node:crypto'
import { type Account, AppError, DAY_MS, type PlanId, planById, TRIAL } from '@pairwire/contract'
import { lockAccount } from '../database/lock-account.ts'
import type { Queries } from '../database/open-database.ts'
import { subscriptions } from '../database/schema.ts'
import { readAccount } from '../people/read-account.ts'
import { insistNotSuspended } from '../people/suspend.ts'
import { readRunningPaid } from '../standing/paid-subscription.ts'
import { readPlansInForce } from '../standing/plan-in-force.ts'
import { nextState, type SubscriptionState } from '../standing/subscription-state.ts'
import { hasUsedTrial, rememberTrial } from '../standing/used-trials.ts'
import { commit, type Store } from '../store.ts'

/**
 * Starts the free trial, once per person as far as the email shows, even across a deletion.
 *
 * @throws TRIAL_USED, SUBSCRIPTION_EXISTS, ACCOUNT_SUSPENDED
 */
export async function startTrial(store: Store, accountId: string, planId: PlanId): Promise<Account> {
  if (!planById(planId)) throw new AppError('ERR_VALIDATION', 'There is no such plan.')
  if (TRIAL.days === 0) throw new AppError('TRIAL_USED', 'There is no free trial.')

  const account = await commit(store, async (tx) => {
    const { emailNormalised } = await lockAccount(tx, accountId)
    await insistNotSuspended(tx, accountId)
    const now = store.now()
    const trial = nextState(await readState(tx, accountId, now), {
      type: 'trial_started',
      at: now,
      planId,
      endsAt: new Date(now.getTime() + TRIAL.days * DAY_MS),
    })
    if (trial.kind !== 'trial') throw new Error('the subscription after starting a trial is not a trial')

    const isUsed = await hasUsedTrial(store, tx, emailNormalised)
    if (isUsed || !(await rememberTrial(store, tx, emailNormalised))) throw new AppError('TRIAL_USED')

    await tx.insert(subscriptions).values({ id: randomUUID(), accountId, ...trial })
    return readAccount(store, tx, accountId)
  })
  if (!account) throw new AppError('ERR_LOGIN_REQUIRED')
  return account
}

/** The account's state in the table. A grant, which the table does not cover, refuses a trial here. */
async function readState(queries: Queries, accountId: string, now: Date): Promise<SubscriptionState> {
  const plans = await readPlansInForce(queries, accountId, now)
  if (plans.some(({ kind }) => kind === 'grant')) throw new AppError('SUBSCRIPTION_EXISTS')

  const [paid] = await readRunningPaid(queries, accountId, now)
  const plan = paid && planById(paid.planId)
  if (plan) {
    const { startedAt, renewsAt, endsAt } = paid
    const paidUntil = renewsAt ?? endsAt ?? startedAt
    return { kind: 'active', planId: plan.id, startedAt, paidUntil, refundedUntil: undefined }
  }
  const trial = plans.find(({ kind }) => kind === 'trial')
  if (!trial?.endsAt) return { kind: 'none' }
  return { kind: 'trial', planId: trial.plan.id, startedAt: trial.startedAt, endsAt: trial.endsAt }
}
