import { and, asc, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import { subscriptions } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** Trials, grants with an end and cancelled plans, which end by the clock alone. */
const hasAnEnd = and(
  isNull(subscriptions.endedAt),
  isNotNull(subscriptions.endsAt),
  or(inArray(subscriptions.kind, ['trial', 'grant']), isNotNull(subscriptions.cancelledAt)),
)

/** Finds when the next of them ends, possibly in the past; null if none will. */
export async function nextPlanEnd({ db }: Store): Promise<Date | null> {
  const [next] = await db
    .select({ endsAt: subscriptions.endsAt })
    .from(subscriptions)
    .where(hasAnEnd)
    .orderBy(asc(subscriptions.endsAt))
    .limit(1)
  return next?.endsAt ?? null
}

/** Marks those whose time is up as ended. @returns the accounts affected */
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
