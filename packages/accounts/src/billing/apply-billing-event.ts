import { and, eq, isNull } from 'drizzle-orm'
import { lockAccountIfThere } from '../database/lock-account.ts'
import type { Queries } from '../database/open-database.ts'
import { billingEvents } from '../database/schema.ts'
import { commit, type Store } from '../store.ts'
import type { BillingEvent, BillingOutcome, ProviderSubscription } from './billing-event.ts'
import { holdSubscription, isOfSubscription, keepReport, toColumns } from './billing-event-row.ts'
import { refoldSubscription } from './refold-subscription.ts'

/**
 * Applies a payment provider's report once, however often and in whatever order reports arrive: all reports of a subscription
 * are kept, and its state is computed again from all of them.
 */
export async function applyBillingEvent(store: Store, event: BillingEvent): Promise<BillingOutcome> {
  // The delivery that was applied may not be on the disk yet.
  if (await isKept(store.db, event)) return store.barrier().then(() => ({ outcome: 'repeated' }))

  return commit(store, async (tx): Promise<BillingOutcome> => {
    await holdSubscription(tx, event)
    const known = await ownerOf(tx, event)
    const accountId = known.accountId ?? event.accountId
    if (accountId === undefined && !known.isGone) {
      return (await keep(store, tx, event)) ? { outcome: 'waiting' } : { outcome: 'repeated' }
    }
    if (accountId === undefined || !(await lockAccountIfThere(tx, accountId))) {
      return keepForNobody(store, tx, event)
    }
    if (!(await keep(store, tx, event))) return { outcome: 'repeated' }

    await tx
      .update(billingEvents)
      .set({ accountId, accountGone: false })
      .where(and(isNobodys(event), isNull(billingEvents.accountId)))
    return { outcome: 'applied', accountId, ...(await refoldSubscription(store, tx, event, accountId)) }
  })
}

async function isKept(queries: Queries, { provider, id }: BillingEvent): Promise<boolean> {
  const isIt = and(eq(billingEvents.provider, provider), eq(billingEvents.id, id))
  return (await queries.$count(billingEvents, isIt)) > 0
}

/** @returns false if another delivery came first */
function keep(
  store: Store,
  queries: Queries,
  event: BillingEvent,
  over: Partial<typeof billingEvents.$inferInsert> = {},
): Promise<boolean> {
  const { report, subscriptionId, customerId = null, priceIds } = event
  const columns = { ...toColumns(report), subscriptionId, customerId, priceIds: [...priceIds], ...over }
  return keepReport(store, queries, billingEvents, event, columns)
}

/**
 * Keeps a charge to a deleted account on record, and its refund too. Reports from before the deletion raise no alarm; those
 * after it do, and stand under the same number.
 */
async function keepForNobody(store: Store, queries: Queries, event: BillingEvent): Promise<BillingOutcome> {
  const { type } = event.report
  const isCharged = type === 'paid' || type === 'charged'
  // Asked again: the account may have been deleted while this transaction waited for it.
  const { isGone, person } = await ownerOf(queries, event)
  if (isCharged || isGone) {
    const nameless = person === undefined ? {} : { person, customerId: null, raw: null }
    if (!(await keep(store, queries, event, { ...nameless, accountGone: true })))
      return { outcome: 'repeated' }
    await queries.update(billingEvents).set({ accountGone: true }).where(isNobodys(event))
  }
  return { outcome: 'unknown_account', isCharged }
}

/** The condition for being a report on the subscription that no deleted account left behind. */
function isNobodys(subscription: ProviderSubscription) {
  return and(isOfSubscription(subscription), isNull(billingEvents.person))
}

/** The account that an earlier report named as the owner, or the number that stands for it. */
async function ownerOf(
  queries: Queries,
  subscription: ProviderSubscription,
): Promise<{ accountId: string | undefined; person: string | undefined; isGone: boolean }> {
  const { accountId, person, accountGone: isGone } = billingEvents
  const owners = await queries
    .selectDistinct({ accountId, person, isGone })
    .from(billingEvents)
    .where(isOfSubscription(subscription))
  return {
    accountId: owners.find(({ accountId }) => accountId !== null)?.accountId ?? undefined,
    person: owners.find(({ person }) => person !== null)?.person ?? undefined,
    isGone: owners.some(({ isGone, person }) => isGone || person !== null),
  }
}
