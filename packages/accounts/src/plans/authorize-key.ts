import { isApiKey, type PlanId } from '@pairwire/contract'
import { and, eq, type SQL } from 'drizzle-orm'
import { isAccountId } from '../database/account-id.ts'
import { accounts, deliveredCounts, subscriptions } from '../database/schema.ts'
import { billingPeriodOf } from '../standing/billing-period.ts'
import { isInForce, toPlansInForce } from '../standing/plan-in-force.ts'
import { type AccountStanding, standingOf } from '../standing/read-standings.ts'
import type { Store } from '../store.ts'

/** The rights of a key. */
export type KeyAuthorization =
  | Readonly<{
      outcome: 'allowed'
      accountId: string
      planId: PlanId
      connectionLimit: number
      /** When the plan stops being in force; null without an end. */
      endsAt: Date | null
      /** The id of the trial, paid plan or grant in force: counts belong to it and its period. */
      planInForceId: string
      /** The billing period: its first day and the moment at which the next begins. */
      period: string
      periodEndsAt: Date
      /** The account's state as read. */
      standing: AccountStanding
      /** Sent so far in the period. */
      delivered: Readonly<{ newPair: number; swap: number }>
    }>
  | Readonly<{ outcome: 'unknown_key' }>
  | Readonly<{ outcome: 'no_plan'; accountId: string }>
  /** The operator has suspended it, whatever its plan. */
  | Readonly<{ outcome: 'suspended'; accountId: string }>

/** Looks up a key by its keyed hash; the only call a gateway makes at connect. */
export async function authorizeKey(store: Store, key: string): Promise<KeyAuthorization> {
  // No account has a key of another form, so it needs no query.
  if (!isApiKey(key)) return { outcome: 'unknown_key' }
  return authorize(store, eq(accounts.keyHash, store.secrets.hashKey(key)))
}

/**
 * Does the same for an account with open connections, after a control message; a deleted one answers like an unknown key.
 */
export async function authorizeAccount(store: Store, accountId: string): Promise<KeyAuthorization> {
  if (!isAccountId(accountId)) return { outcome: 'unknown_key' }
  return authorize(store, eq(accounts.id, accountId))
}

async function authorize({ db, now: readClock }: Store, isWanted: SQL): Promise<KeyAuthorization> {
  const now = readClock()
  const rows = await db
    .select({
      accountId: accounts.id,
      keyHash: accounts.keyHash,
      suspendedAt: accounts.suspendedAt,
      subscription: subscriptions,
    })
    .from(accounts)
    .leftJoin(subscriptions, and(eq(subscriptions.accountId, accounts.id), isInForce(now)))
    .where(isWanted)
  const [first] = rows
  if (!first) return { outcome: 'unknown_key' }

  const { accountId, keyHash, suspendedAt } = first
  if (suspendedAt) return { outcome: 'suspended', accountId }
  const [active] = toPlansInForce(rows.flatMap(({ subscription }) => subscription ?? []))
  if (!active) return { outcome: 'no_plan', accountId }

  const { period, endsAt: periodEndsAt } = billingPeriodOf(active.startedAt, now)
  const isOfPeriod = and(eq(deliveredCounts.planInForceId, active.id), eq(deliveredCounts.period, period))
  const counts = await db
    .select({ kind: deliveredCounts.kind, count: deliveredCounts.count })
    .from(deliveredCounts)
    .where(and(eq(deliveredCounts.accountId, accountId), isOfPeriod))

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
