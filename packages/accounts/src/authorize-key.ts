import { and, eq, type SQL } from 'drizzle-orm'
import { isAccountId } from './account-id.ts'
import type { KeyAuthorization } from './accounts.ts'
import { isApiKey } from './api-key.ts'
import { billingPeriodOf } from './billing-period.ts'
import { isInForce, toPlansInForce } from './plan-in-force.ts'
import { standingOf } from './read-standings.ts'
import { accounts, deliveredCounts, subscriptions } from './schema.ts'
import type { Store } from './store.ts'

/** See `Accounts.authorizeKey`. */
export async function authorizeKey(store: Store, key: string): Promise<KeyAuthorization> {
  if (!isApiKey(key)) return { outcome: 'unknown_key' }
  return authorize(store, eq(accounts.keyHash, store.secrets.hashKey(key)))
}

/** See `Accounts.authorizeAccount`; an account that is gone answers as an unknown key. */
export async function authorizeAccount(store: Store, accountId: string): Promise<KeyAuthorization> {
  if (!isAccountId(accountId)) return { outcome: 'unknown_key' }
  return authorize(store, eq(accounts.id, accountId))
}

async function authorize({ db, now: readClock }: Store, isWanted: SQL): Promise<KeyAuthorization> {
  const now = readClock()
  const rows = await db
    .select({ accountId: accounts.id, keyHash: accounts.keyHash, subscription: subscriptions })
    .from(accounts)
    .leftJoin(subscriptions, and(eq(subscriptions.accountId, accounts.id), isInForce(now)))
    .where(isWanted)
  const [first] = rows
  if (!first) return { outcome: 'unknown_key' }

  const { accountId, keyHash } = first
  const [active] = toPlansInForce(rows.flatMap(({ subscription }) => subscription ?? []))
  if (!active) return { outcome: 'no_plan', accountId }

  const { period, endsAt: periodEndsAt } = billingPeriodOf(active.startedAt, now)
  const counts = await db
    .select({ kind: deliveredCounts.kind, count: deliveredCounts.count })
    .from(deliveredCounts)
    .where(
      and(
        eq(deliveredCounts.accountId, accountId),
        eq(deliveredCounts.planInForceId, active.id),
        eq(deliveredCounts.period, period),
      ),
    )

  return {
    outcome: 'allowed',
    accountId,
    planId: active.plan.id,
    connectionLimit: active.connectionLimit,
    endsAt: active.endsAt,
    planInForceId: active.id,
    period,
    periodEndsAt,
    standing: standingOf(keyHash, active),
    delivered: {
      newPair: counts.find(({ kind }) => kind === 'newPair')?.count ?? 0,
      swap: counts.find(({ kind }) => kind === 'swap')?.count ?? 0,
    },
  }
}
