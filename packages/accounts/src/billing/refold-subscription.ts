import { randomUUID } from 'node:crypto'
import { and, eq, isNull } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { subscriptions } from '../database/schema.ts'
import { accessOf, type SubscriptionKind, type SubscriptionState } from '../standing/subscription-state.ts'
import type { Store } from '../store.ts'
import type { ProviderSubscription } from './billing-event.ts'
import { isPlanId, type KeptReport, readReports } from './billing-event-row.ts'
import { tellOfChange } from './billing-notices.ts'
import { foldOverTrial, foldReports, inOrder } from './fold-reports.ts'

/**
 * Folds a subscription's state again from all stored reports: writes it where readers look, ends the trial that a paid plan
 * replaces, and queues the notice of a change. The caller locks the account and the subscription, commits, and announces
 * mails.
 */
export async function refoldSubscription(
  store: Store,
  queries: Queries,
  subscription: ProviderSubscription,
  accountId: string,
): Promise<{ from: SubscriptionKind; to: SubscriptionKind }> {
  const before = await readRow(queries, subscription)
  const reports = await readReports(queries, subscription)
  const state = foldReports(reports)
  await writeState(store, queries, { subscription, accountId, state, customerId: newestCustomer(reports) })
  await endTrial(store, queries, accountId, reports)
  await tellOfChange(store, queries, { subscription, accountId, from: before?.state ?? null, to: state })
  return { from: before?.state ?? 'none', to: state.kind }
}

async function readRow(queries: Queries, { provider, subscriptionId }: ProviderSubscription) {
  const [row] = await queries
    .select()
    .from(subscriptions)
    .where(
      and(eq(subscriptions.provider, provider), eq(subscriptions.providerSubscriptionId, subscriptionId)),
    )
  return row
}

function newestCustomer(reports: readonly KeptReport[]): string | null {
  const named = inOrder(reports).map(({ customerId }) => customerId)
  return named.findLast((customerId) => customerId !== null) ?? null
}

/** Hides a subscription from readers until its plan is known. */
async function writeState(
  store: Store,
  queries: Queries,
  found: {
    subscription: ProviderSubscription
    accountId: string
    state: SubscriptionState
    customerId: string | null
  },
): Promise<void> {
  const { subscription, accountId, state, customerId } = found
  if (state.kind === 'none' || state.kind === 'trial') return
  const { planId, startedAt } = state
  if (planId === undefined || startedAt === undefined) return

  const now = store.now()
  const access = accessOf(state)
  const isOver = state.kind === 'cancelled' && state.endsAt <= now
  const endedAt = state.kind === 'ended' ? state.endedAt : isOver ? state.endsAt : null
  const values = {
    planId,
    startedAt,
    endsAt: access?.endsAt ?? endedAt,
    renewsAt: access?.renewsAt ?? null,
    cancelledAt: access?.cancelledAt ?? null,
    endedAt,
    state: isOver ? ('ended' as const) : state.kind,
    providerCustomerId: customerId,
  }
  const { provider, subscriptionId: providerSubscriptionId } = subscription
  await queries
    .insert(subscriptions)
    .values({ id: randomUUID(), accountId, kind: 'paid', provider, providerSubscriptionId, ...values })
    .onConflictDoUpdate({
      target: [subscriptions.provider, subscriptions.providerSubscriptionId],
      set: values,
    })
}

/** Ends the running trial, which a paid plan replaces. */
async function endTrial(
  store: Store,
  queries: Queries,
  accountId: string,
  reports: readonly KeptReport[],
): Promise<void> {
  const { accountId: account, kind, endedAt } = subscriptions
  const isRunning = and(eq(account, accountId), eq(kind, 'trial'), isNull(endedAt))
  const [trial] = await queries.select().from(subscriptions).where(isRunning)
  if (!trial?.endsAt || !isPlanId(trial.planId)) return

  const { planId, endsAt, startedAt, openedAt } = trial
  const state = foldOverTrial({ kind: 'trial', planId, startedAt: openedAt ?? startedAt, endsAt }, reports)
  if (state.kind === 'trial') return
  await queries.update(subscriptions).set({ endedAt: store.now() }).where(eq(subscriptions.id, trial.id))
}
