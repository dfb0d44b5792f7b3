import { randomUUID } from 'node:crypto'
import { AppError, DAY_MS, type PlanId } from '@pairwire/contract'
import { and, eq } from 'drizzle-orm'
import { type Actor, withAct } from '../acts/acts.ts'
import { mails, subscriptions } from '../database/schema.ts'
import { type FoundAccount, findAccount, lockWho } from '../people/find-who.ts'
import { rememberTrial } from '../standing/used-trials.ts'
import type { Store } from '../store.ts'

/** The plan of a trial that the operator gives without naming one: the largest, to try everything. */
const USUAL_PLAN: PlanId = 3

/** A trial that the operator gives. */
type GivenTrial = Readonly<{ days: number; planId?: PlanId | undefined }>

/**
 * Gives an account a trial for these days from now, prolongs the one that runs by them, or opens the ended one again. It runs
 * beneath a grant or a paid plan. @throws ERR_NOT_FOUND
 */
export async function giveTrial(
  store: Store,
  who: string,
  { days, planId }: GivenTrial,
  by: Actor,
): Promise<FoundAccount> {
  const accountId = await withAct(store, by, async (tx, note) => {
    const { accountId, emailNormalised } = await lockWho(store, tx, who)
    const now = store.now()
    const isTrial = and(eq(subscriptions.accountId, accountId), eq(subscriptions.kind, 'trial'))
    const [before] = await tx.select().from(subscriptions).where(isTrial)
    const runs = before && before.endedAt === null && before.endsAt !== null && before.endsAt > now
    const endsAt = new Date((runs ? before.endsAt! : now).getTime() + days * DAY_MS)
    if (endsAt.getTime() > now.getTime() + MOST_DAYS * DAY_MS) {
      throw new AppError('ERR_VALIDATION', `A trial ends within ${MOST_DAYS} days.`)
    }
    const plan = { planId: planId ?? before?.planId ?? USUAL_PLAN, endsAt, openedAt: now }
    if (before) {
      await tx
        .update(subscriptions)
        .set({ ...plan, endedAt: null })
        .where(isTrial)
      // So that the new end is announced too.
      const isNotice = eq(mails.occasion, `trial_ending ${before.id}`)
      await tx.update(mails).set({ occasion: null }).where(isNotice)
    } else {
      await tx
        .insert(subscriptions)
        .values({ id: randomUUID(), accountId, kind: 'trial', startedAt: now, ...plan })
    }
    await rememberTrial(store, tx, emailNormalised)
    note({ accountId, changes: { trialUntil: [before?.endsAt ?? null, endsAt] } })
    return accountId
  })
  return findAccount(store, accountId)
}

/** Days after which the farthest trial ends. */
const MOST_DAYS = 365
