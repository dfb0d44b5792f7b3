import { randomUUID } from 'node:crypto'
import { type PlanId, planById } from '@pairwire/contract'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { isAccountId } from './account-id.ts'
import type { BillingEvent, BillingOutcome, BillingReport } from './billing-event.ts'
import { tellOfChange } from './billing-notices.ts'
import type { Queries } from './open-database.ts'
import { accounts, billingEvents, subscriptions } from './schema.ts'
import type { Store } from './store.ts'
import {
  accessOf,
  foldReports,
  inOrder,
  type SubscriptionState,
  type TimedReport,
} from './subscription-state.ts'

/**
 * Takes a payment provider's report once, however often and in whatever order reports come: all of a
 * subscription's are kept, and its state is made anew of all of them. See `Accounts.applyBillingEvent`.
 */
export async function applyBillingEvent(store: Store, event: BillingEvent): Promise<BillingOutcome> {
  if (await isKept(store.db, event)) return { outcome: 'repeated' }

  const outcome = await store.db.transaction(async (tx): Promise<BillingOutcome> => {
    const { provider, subscriptionId } = event
    // One after another for a subscription, also while nobody knows whose it is.
    await tx.execute(
      sql`select pg_advisory_xact_lock(hashtextextended(${`${provider} ${subscriptionId}`}, 0))`,
    )
    const accountId = (await ownerOf(tx, event)) ?? event.accountId
    if (accountId !== undefined && !(await isThere(tx, accountId))) return { outcome: 'unknown_account' }
    if (!(await keep(store, tx, event, accountId))) return { outcome: 'repeated' }
    if (accountId === undefined) return { outcome: 'waiting' }

    const before = await readRow(tx, event)
    const rows = await tx.select().from(billingEvents).where(isOfSubscription(billingEvents, event))
    const reports = rows.map(toReport)
    const state = foldReports(reports)
    await writeState(store, tx, { event, accountId, state, customerId: newestCustomer(rows) })
    await tx
      .update(billingEvents)
      .set({ accountId })
      .where(and(isOfSubscription(billingEvents, event), isNull(billingEvents.accountId)))
    await endTrial(store, tx, accountId, reports)
    await tellOfChange(store, tx, { event, accountId, from: before?.state ?? null, to: state })
    return { outcome: 'applied', accountId, from: before?.state ?? 'none', to: state.kind }
  })
  if (outcome.outcome === 'repeated') return outcome
  await store.barrier()
  if (outcome.outcome === 'applied' && outcome.from !== outcome.to) store.announceMail()
  return outcome
}

async function isKept(queries: Queries, { provider, id }: BillingEvent): Promise<boolean> {
  const found = await queries
    .select({ id: billingEvents.id })
    .from(billingEvents)
    .where(and(eq(billingEvents.provider, provider), eq(billingEvents.id, id)))
  return found.length > 0
}

/** @returns false when another delivery was faster */
async function keep(
  store: Store,
  queries: Queries,
  event: BillingEvent,
  accountId: string | undefined,
): Promise<boolean> {
  const { report, id, provider, subscriptionId, customerId, occurredAt, raw } = event
  const kept = await queries
    .insert(billingEvents)
    .values({
      ...toColumns(report),
      id,
      provider,
      subscriptionId,
      customerId: customerId ?? null,
      accountId: accountId ?? null,
      occurredAt,
      receivedAt: store.now(),
      raw,
    })
    .onConflictDoNothing()
    .returning({ id: billingEvents.id })
  return kept.length > 0
}

type Row = typeof billingEvents.$inferSelect

/** The columns that hold a report. */
function toColumns(report: BillingReport) {
  return {
    type: report.type,
    planId: 'planId' in report ? report.planId : null,
    until: 'until' in report ? report.until : null,
    transactionId: 'transactionId' in report ? report.transactionId : null,
    amount: 'amount' in report ? report.amount : null,
    currency: 'currency' in report ? report.currency : null,
  }
}

/** The report that a row holds. @throws Error for a row that {@link toColumns} did not write */
function toReport(row: Row): TimedReport & { customerId: string | null } {
  const { id, occurredAt, customerId } = row
  return { id, occurredAt, customerId, report: readReport(row) }
}

function readReport(row: Row): BillingReport {
  const { type, planId, until, transactionId, amount, currency } = row
  if ((type === 'paid' || type === 'cancelled') && isPlanId(planId) && until) return { type, planId, until }
  if (type === 'payment_failed' && isPlanId(planId)) return { type, planId }
  if (type === 'ended') return { type }
  if (type === 'refunded' && transactionId) return { type, transactionId }
  if (type === 'charged' && transactionId && until && amount !== null && currency) {
    return { type, transactionId, until, amount, currency }
  }
  throw new Error(`billing event ${row.id} of ${row.provider} is not readable`)
}

function isPlanId(planId: number | null): planId is PlanId {
  return planId !== null && planById(planId) !== undefined
}

function newestCustomer(rows: readonly Row[]): string | null {
  return (
    inOrder(rows.map(toReport))
      .map(({ customerId }) => customerId)
      .findLast((customerId) => customerId !== null) ?? null
  )
}

/** The account to which the subscription was found to belong before. */
async function ownerOf(queries: Queries, event: BillingEvent): Promise<string | undefined> {
  const [known] = await queries
    .select({ accountId: billingEvents.accountId })
    .from(billingEvents)
    .where(and(isOfSubscription(billingEvents, event), sql`${billingEvents.accountId} is not null`))
    .limit(1)
  return known?.accountId ?? undefined
}

/** Whether the account is there; it is held until the transaction ends. */
async function isThere(queries: Queries, accountId: string): Promise<boolean> {
  if (!isAccountId(accountId)) return false
  const found = await queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for('update')
  return found.length > 0
}

async function readRow(queries: Queries, { provider, subscriptionId }: BillingEvent) {
  const [row] = await queries
    .select()
    .from(subscriptions)
    .where(
      and(eq(subscriptions.provider, provider), eq(subscriptions.providerSubscriptionId, subscriptionId)),
    )
  return row
}

function isOfSubscription(table: typeof billingEvents, { provider, subscriptionId }: BillingEvent) {
  return and(eq(table.provider, provider), eq(table.subscriptionId, subscriptionId))
}

/** Writes the state to where readers look. A subscription of which no plan is known yet is nothing to them. */
async function writeState(
  store: Store,
  queries: Queries,
  found: { event: BillingEvent; accountId: string; state: SubscriptionState; customerId: string | null },
): Promise<void> {
  const { event, accountId, state, customerId } = found
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
  const { provider, subscriptionId: providerSubscriptionId } = event
  await queries
    .insert(subscriptions)
    .values({ id: randomUUID(), accountId, kind: 'paid', provider, providerSubscriptionId, ...values })
    .onConflictDoUpdate({
      target: [subscriptions.provider, subscriptions.providerSubscriptionId],
      set: values,
    })
}

/** A paid plan ends the trial that runs. */
async function endTrial(
  store: Store,
  queries: Queries,
  accountId: string,
  reports: readonly TimedReport[],
): Promise<void> {
  const [trial] = await queries
    .select()
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.accountId, accountId),
        eq(subscriptions.kind, 'trial'),
        isNull(subscriptions.endedAt),
      ),
    )
  if (!trial?.endsAt || !isPlanId(trial.planId)) return

  const { planId, startedAt, endsAt } = trial
  const state = foldReports(reports, { kind: 'trial', planId, startedAt, endsAt })
  if (state.kind === 'trial') return
  await queries.update(subscriptions).set({ endedAt: store.now() }).where(eq(subscriptions.id, trial.id))
}
