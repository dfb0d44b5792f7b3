import { planById } from '@pairwire/contract'
import { and, eq, gt, isNull, lte, notExists, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { mails, subscriptions } from '../database/schema.ts'
import { queueNotice } from '../mails/queue-mail.ts'
import { isInForce } from '../standing/plan-in-force.ts'
import { commit, type Store } from '../store.ts'

/** Milliseconds before the end of a trial at which its user is notified. */
const AHEAD_MS = 24 * 60 * 60_000

/** Trials notified in one transaction; the next call takes the next ones. */
const BATCH = 100

/** Queues a notice for each trial that ends within a day. */
export async function queueTrialNotices(store: Store): Promise<void> {
  await commit(store, async (tx) => {
    const now = store.now()
    const other = alias(subscriptions, 'other')
    const trials = await tx
      .select()
      .from(subscriptions)
      .where(
        and(
          eq(subscriptions.kind, 'trial'),
          isInForce(now),
          gt(subscriptions.endsAt, now),
          lte(subscriptions.endsAt, new Date(now.getTime() + AHEAD_MS)),
          // A user with another plan loses nothing.
          notExists(
            tx
              .select({ id: other.id })
              .from(other)
              .where(
                and(
                  eq(other.accountId, subscriptions.accountId),
                  sql`${other.kind} <> 'trial' and ${other.endedAt} is null`,
                  or(isNull(other.endsAt), gt(other.endsAt, now)),
                ),
              ),
          ),
          sql`not exists (select from ${mails} where ${mails.occasion} = 'trial_ending ' || ${subscriptions.id})`,
        ),
      )
      .limit(BATCH)

    for (const { id, accountId, planId, endsAt } of trials) {
      const plan = planById(planId)
      if (!plan || !endsAt) continue
      await queueNotice(store, tx, {
        accountId,
        letter: { template: 'trial_ending', planId: plan.id, endsAt },
        occasion: `trial_ending ${id}`,
      })
    }
  })
}
