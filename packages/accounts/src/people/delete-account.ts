import { AppError } from '@pairwire/contract'
import { eq } from 'drizzle-orm'
import { type Actor, withAct } from '../acts/acts.ts'
import type { ProviderSubscription } from '../billing/billing-event.ts'
import { toKeptReport } from '../billing/billing-event-row.ts'
import { isChargedOn } from '../billing/fold-reports.ts'
import { lockAccount } from '../database/lock-account.ts'
import type { Queries } from '../database/open-database.ts'
import {
  accounts,
  billingEvents,
  deliveredCounts,
  deliveredDays,
  streamConnections,
} from '../database/schema.ts'
import { leaveMoney } from '../money/leave-money.ts'
import { readPlansInForce } from '../standing/plan-in-force.ts'
import { hasUsedTrial, rememberTrial } from '../standing/used-trials.ts'
import type { Store } from '../store.ts'
import { leaveOrders } from './leave-orders.ts'

/**
 * Deletes the account with its key, tokens, sessions, subscriptions, counts and connections. The keyed hash of a person who
 * had a trial stays, and without personal data, for the books, what was paid and when the trial ran. Refused while a paid plan, or an
 * operator's grant shown as one, is in force and not cancelled. A subscription that is still charged but gives nothing (it
 * was refunded, or its payments fail) is first ended by `endAtProvider`; without that function the deletion is refused.
 *
 * @throws ACTIVE_SUBSCRIPTION, and whatever `endAtProvider` throws: then nothing is deleted
 */
export async function deleteAccount(
  store: Store,
  accountId: string,
  endAtProvider: (subscription: ProviderSubscription) => Promise<void> = refuse,
  by?: Actor,
): Promise<void> {
  const over = new Set<string>()
  // The provider is asked between two transactions, since it may take seconds; changes meanwhile are checked again.
  for (;;) {
    const left = await deleteUnlessCharged(store, accountId, over, by)
    if (left.length === 0) break
    await Promise.all(left.map(endAtProvider))
    for (const subscription of left) over.add(nameOf(subscription))
  }
}

/** @returns the subscriptions that are still charged, except those in `over`; deletes the account if there are none */
async function deleteUnlessCharged(
  store: Store,
  accountId: string,
  over: ReadonlySet<string>,
  by: Actor | undefined,
): Promise<ProviderSubscription[]> {
  return withAct(store, by, async (tx, note) => {
    const { emailNormalised } = await lockAccount(tx, accountId)
    const plans = await readPlansInForce(tx, accountId, store.now())
    const runsOn = plans.some(({ kind, cancelledAt }) => kind !== 'trial' && cancelledAt === null)
    if (runsOn) throw new AppError('ACTIVE_SUBSCRIPTION')

    const left = (await readCharged(tx, accountId)).filter((subscription) => !over.has(nameOf(subscription)))
    if (left.length > 0) return left
    if (await hasUsedTrial(store, tx, emailNormalised)) await rememberTrial(store, tx, emailNormalised)
    note({ accountId })
    await leaveOrders(tx, accountId)
    await leaveMoney(tx, accountId, store.now())
    await tx.delete(accounts).where(eq(accounts.id, accountId))
    for (const table of [deliveredCounts, deliveredDays, streamConnections]) {
      await tx.delete(table).where(eq(table.accountId, accountId))
    }
    return []
  })
}

/** The account's subscriptions that the provider still charges for. */
async function readCharged(queries: Queries, accountId: string): Promise<ProviderSubscription[]> {
  const rows = await queries.select().from(billingEvents).where(eq(billingEvents.accountId, accountId))
  const subscriptions = new Map(rows.map((row) => [nameOf(row), row]))
  return [...subscriptions].flatMap(([name, { provider, subscriptionId }]) => {
    const reports = rows.filter((row) => nameOf(row) === name).map(toKeptReport)
    return isChargedOn(reports) ? [{ provider, subscriptionId }] : []
  })
}

function nameOf({ provider, subscriptionId }: ProviderSubscription): string {
  return `${provider} ${subscriptionId}`
}

async function refuse(): Promise<never> {
  throw new AppError('ACTIVE_SUBSCRIPTION')
}
