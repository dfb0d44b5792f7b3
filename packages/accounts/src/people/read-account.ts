import { type Account, AppError, planById, TRIAL } from '@pairwire/contract'
import { eq } from 'drizzle-orm'
import { isAccountId } from '../database/account-id.ts'
import type { Queries } from '../database/open-database.ts'
import { accounts } from '../database/schema.ts'
import { readRunningPaid } from '../standing/paid-subscription.ts'
import { type PlanInForce, readPlansInForce } from '../standing/plan-in-force.ts'
import { hasUsedTrial } from '../standing/used-trials.ts'
import type { Store } from '../store.ts'

/** The account as its owner sees it, or `undefined` if it is gone. */
export async function readAccount(
  store: Store,
  queries: Queries,
  accountId: string,
): Promise<Account | undefined> {
  if (!isAccountId(accountId)) return undefined
  const [row] = await queries.select().from(accounts).where(eq(accounts.id, accountId))
  if (!row) return undefined

  const now = store.now()
  const plans = await readPlansInForce(queries, accountId, now)
  const [active] = plans
  const grant = plans.find(({ kind }) => kind === 'grant')
  const [paid] = await readRunningPaid(queries, accountId, now)
  const paidPlan = grant?.plan ?? (paid && planById(paid.planId))

  return {
    user: {
      ID: row.id,
      Email: row.email,
      APIKey: store.secrets.keys.open(row.keySealed, row.id),
      CreatedAt: row.createdAt.toISOString(),
    },
    ...(active && { activeSubscription: toActiveSubscription(active) }),
    ...(paidPlan && {
      paidSubscription: { planName: paidPlan.name, forbidManageSubscription: grant !== undefined },
    }),
    // Where there is no trial, nobody is offered one.
    hasHadFreeTrial: TRIAL.days === 0 || (await hasUsedTrial(store, queries, row.emailNormalised)),
    ...(row.suspendedAt && {
      suspension: { since: row.suspendedAt.toISOString(), message: row.suspensionMessage ?? '' },
    }),
  }
}

/** Reads the account as its owner sees it. @throws ERR_LOGIN_REQUIRED when it is gone */
export async function getAccount(store: Store, accountId: string): Promise<Account> {
  const account = await readAccount(store, store.db, accountId)
  if (!account) throw new AppError('ERR_LOGIN_REQUIRED')
  return account
}

function toActiveSubscription({ kind, plan, connectionLimit, endsAt, renewsAt, cancelledAt }: PlanInForce) {
  const end = endsAt?.toISOString() ?? ''
  // A grant does not renew by itself.
  const isEnding = cancelledAt !== null || kind === 'grant'
  return {
    planName: plan.name,
    isFreeTrial: kind === 'trial',
    willCancel: isEnding ? end : '',
    renewalDate: isEnding ? '' : (renewsAt?.toISOString() ?? end),
    connectionLimit,
  }
}
