import { type Plan, planById } from '@pairwire/contract'
import { and, eq, gt, isNull, lte, or, type SQLWrapper, sql } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { type SUBSCRIPTION_KINDS, subscriptions } from '../database/schema.ts'

/** A subscription that currently gives its account a plan. */
export type PlanInForce = Readonly<{
  id: string
  kind: (typeof SUBSCRIPTION_KINDS)[number]
  plan: Plan
  connectionLimit: number
  startedAt: Date
  /** Exclusive; null without an end. */
  endsAt: Date | null
  /** Null while it will renew. */
  cancelledAt: Date | null
  /** The next payment, before `endsAt`; null if none is due. */
  renewsAt: Date | null
}>

/** The columns of a subscription that describe its plan. */
export type RunningSubscription = Pick<
  typeof subscriptions.$inferSelect,
  'id' | 'kind' | 'planId' | 'connectionLimit' | 'startedAt' | 'endsAt'
>

/** Strongest first: a grant, then a paid plan, then a trial. Of two of a kind the later one counts. */
const STRONGEST_FIRST = ['grant', 'paid', 'trial'] as const

/** The place of a kind in that order, for a query. */
export const placeOf = (kind: SQLWrapper) =>
  sql`array_position(${sql.param([...STRONGEST_FIRST])}::text[], ${kind})`

/**
 * All subscriptions of the account in force at `now`, the one that counts first. Time alone ends a trial, so nothing needs to
 * be written.
 */
export async function readPlansInForce(
  queries: Queries,
  accountId: string,
  now: Date,
): Promise<PlanInForce[]> {
  const rows = await queries
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.accountId, accountId), isInForce(now)))
  return toPlansInForce(rows)
}

/** The condition on `subscriptions` for being in force at `now`. */
export function isInForce(now: Date) {
  return and(
    isNull(subscriptions.endedAt),
    // A provider's clock may be ahead of ours: a plan reported as paid has begun.
    or(eq(subscriptions.kind, 'paid'), lte(subscriptions.startedAt, now)),
    or(isNull(subscriptions.endsAt), gt(subscriptions.endsAt, now)),
  )
}

/** Rows of subscriptions in force as plans, the one that counts first. */
export function toPlansInForce<Row extends RunningSubscription>(
  rows: readonly Row[],
): (Row & Pick<PlanInForce, 'plan' | 'connectionLimit'>)[] {
  return rows
    .map((row) => {
      const plan = planById(row.planId)
      if (!plan) throw new Error(`subscription ${row.id} names plan ${row.planId}, which does not exist`)
      return { ...row, plan, connectionLimit: row.connectionLimit ?? plan.connections }
    })
    .sort(
      (left, right) =>
        STRONGEST_FIRST.indexOf(left.kind) - STRONGEST_FIRST.indexOf(right.kind) ||
        right.startedAt.getTime() - left.startedAt.getTime() ||
        (left.id < right.id ? 1 : -1),
    )
}
