import type { PlanId } from '@pairwire/contract'
import { and, eq } from 'drizzle-orm'
import { lockAccountIfThere } from '../database/lock-account.ts'
import { billingEvents } from '../database/schema.ts'
import { commit, type Store } from '../store.ts'
import type { ProviderSubscription } from './billing-event.ts'
import { holdSubscription, isOfSubscription, LACKS_PLAN } from './billing-event-row.ts'
import { refoldSubscription } from './refold-subscription.ts'

type PlanOf = (priceId: string) => PlanId | undefined

/**
 * Applies reports that were kept because their price had no plan then but has one now, one subscription at a time.
 *
 * @returns the accounts affected
 */
export async function applyKnownPrices(store: Store, provider: string, planOf: PlanOf): Promise<string[]> {
  const rows = await store.db
    .select({ subscriptionId: billingEvents.subscriptionId, priceIds: billingEvents.priceIds })
    .from(billingEvents)
    .where(and(eq(billingEvents.provider, provider), LACKS_PLAN))
  const known = rows.filter(({ priceIds }) => findPlan(priceIds, planOf) !== undefined)
  const concerned = new Set<string>()

  for (const subscriptionId of new Set(known.map((row) => row.subscriptionId))) {
    const accountId = await applyTo(store, { provider, subscriptionId }, planOf)
    if (accountId !== undefined) concerned.add(accountId)
  }
  return [...concerned]
}

/** @returns the owner's account; undefined while it is unknown, or once the account is gone */
async function applyTo(
  store: Store,
  subscription: ProviderSubscription,
  planOf: PlanOf,
): Promise<string | undefined> {
  return commit(store, async (tx) => {
    await holdSubscription(tx, subscription)
    const rows = await tx
      .select({
        id: billingEvents.id,
        accountId: billingEvents.accountId,
        priceIds: billingEvents.priceIds,
      })
      .from(billingEvents)
      .where(and(isOfSubscription(subscription), LACKS_PLAN))
    const accountId = rows.find((row) => row.accountId !== null)?.accountId
    const isThere = accountId ? await lockAccountIfThere(tx, accountId) : undefined
    for (const { id, priceIds } of rows) {
      await tx
        .update(billingEvents)
        .set({ planId: findPlan(priceIds, planOf) ?? null })
        .where(and(isOfSubscription(subscription), eq(billingEvents.id, id)))
    }
    if (!accountId || !isThere) return undefined

    await refoldSubscription(store, tx, subscription, accountId)
    return accountId
  })
}

/** The first plan among the paid prices. */
function findPlan(priceIds: readonly string[] | null, planOf: PlanOf): PlanId | undefined {
  return priceIds?.map(planOf).find((plan) => plan !== undefined)
}
