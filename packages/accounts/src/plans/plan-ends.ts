import { and, asc, eq, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import { subscriptions } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** Trials and cancelled plans: what the clock ends, and nobody else. */
const hasAnEnd = and(
  isNull(subscriptions.endedAt),
  isNotNull(subscriptions.endsAt),
  or(eq(subscriptions.kind, 'trial'), isNotNull(subscriptions.cancelledAt)),
)

/** Finds when the next trial or cancelled plan ends, which may be past; null when none will. */
export async function nextPlanEnd({ db }: Store): Promise<Date | null> {
  const [next] = await db
    .select({ endsAt: subscriptions.endsAt })
    .from(subscriptions)
    .where(hasAnEnd)
    .orderBy(asc(subscriptions.endsAt))
    .limit(1)
  return next?.endsAt ?? null
}

/** Notes as ended what the clock has ended. @returns the accounts that it concerns */
export async function endDuePlans({ db, now, barrier }: Store): Promise<string[]> {
  const ended = await db
    .update(subscriptions)
    .set({
      endedAt: sql`${subscriptions.endsAt}`,
      state: sql`case when ${subscriptions.kind} = 'paid' then 'ended' end`,
    })
    .where(and(hasAnEnd, lte(subscriptions.endsAt, now())))
    .returning({ accountId: subscriptions.accountId })
  if (ended.length > 0) await barrier()
  return [...new Set(ended.map(({ accountId }) => accountId))]
}
