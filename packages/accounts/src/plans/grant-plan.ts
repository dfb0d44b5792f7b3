import { randomUUID } from 'node:crypto'
import { AppError, type PlanId, planById } from '@pairwire/contract'
import { and, eq, isNull } from 'drizzle-orm'
import { type Actor, withAct } from '../acts/acts.ts'
import { subscriptions } from '../database/schema.ts'
import { type FoundAccount, findAccount, lockWho } from '../people/find-who.ts'
import type { Store } from '../store.ts'

/** Until when a grant lasts, without it until the operator ends it; why it is given; and who gives it. */
type GrantTerms = Readonly<{ until?: Date | undefined; reason?: string | undefined; by?: Actor }>

/**
 * Grants a plan that only the operator and its end can end, changes the current grant, or with `planId` null removes it. A
 * changed grant keeps its start, and so its billing period; without `connections` the plan's own number applies. Other plans
 * of the account (a trial, a paid plan) continue beneath it. @throws ERR_NOT_FOUND
 */
export async function grantPlan(
  store: Store,
  who: string,
  planId: PlanId | null,
  connections?: number,
  { until, reason, by }: GrantTerms = {},
): Promise<FoundAccount> {
  const limit = connections ?? 1
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000) {
    const sentence = 'The number of connections must be a whole number from 1 to 1000000.'
    throw new AppError('ERR_VALIDATION', sentence)
  }

  if (planId !== null && !planById(planId)) throw new AppError('ERR_VALIDATION', 'There is no such plan.')
  if (until && until <= store.now()) throw new AppError('ERR_VALIDATION', 'A plan ends in the future.')

  const accountId = await withAct(store, by, async (tx, note) => {
    const { accountId } = await lockWho(store, tx, who)
    const now = store.now()
    const ofAccount = and(eq(subscriptions.accountId, accountId), eq(subscriptions.kind, 'grant'))
    const grant = and(ofAccount, isNull(subscriptions.endedAt))
    const [before] = await tx.select().from(subscriptions).where(grant)
    const running = before && (before.endsAt === null || before.endsAt > now) ? before : undefined
    const terms = { connectionLimit: connections ?? null, endsAt: until ?? null }
    const limitBefore = running?.connectionLimit ?? null
    const isOtherEnd = running?.endsAt?.getTime() !== until?.getTime()
    note({
      accountId,
      reason,
      changes: {
        plan: [nameOf(running?.planId ?? null), nameOf(planId)],
        ...(limitBefore !== terms.connectionLimit && { connections: [limitBefore, terms.connectionLimit] }),
        ...(isOtherEnd && { until: [running?.endsAt ?? null, terms.endsAt] }),
      },
    })
    if (running && planId !== null) {
      await tx
        .update(subscriptions)
        .set({ planId, ...terms })
        .where(grant)
      return accountId
    }
    const endedAt = running ? now : before?.endsAt
    await tx
      .update(subscriptions)
      .set({ endedAt: endedAt ?? now })
      .where(grant)
    if (planId === null) return accountId
    await tx
      .insert(subscriptions)
      .values({ id: randomUUID(), accountId, kind: 'grant', planId, ...terms, startedAt: now })
    return accountId
  })
  return findAccount(store, accountId)
}

/** A plan for the list of acts. */
function nameOf(planId: number | null): string {
  return planId === null ? 'none' : (planById(planId)?.name ?? String(planId))
}
