import { type PlanId, planById } from '@pairwire/contract'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { toMoneyColumns } from '../database/money.ts'
import type { Queries } from '../database/open-database.ts'
import { billingEvents, type orderEvents } from '../database/schema.ts'
import type { Store } from '../store.ts'
import type { BillingEvent, BillingReport, ProviderSubscription, ReportedPlan } from './billing-event.ts'
import type { FoldedReport, TimedReport } from './fold-reports.ts'

/**
 * Milliseconds by which a provider's clock may be ahead of ours. A report dated later than that counts from its arrival:
 * otherwise it would outweigh every report until then.
 */
const AHEAD_MAX_MS = 30_000

/** Stores a report, with its own `columns`. @returns false if another delivery came first */
export async function keepReport<Reports extends typeof billingEvents | typeof orderEvents>(
  store: Store,
  queries: Queries,
  table: Reports,
  { id, provider, occurredAt, raw }: Pick<BillingEvent, 'id' | 'provider' | 'occurredAt' | 'raw'>,
  columns: Omit<Reports['$inferInsert'], 'id' | 'provider' | 'occurredAt' | 'receivedAt'>,
): Promise<boolean> {
  const receivedAt = store.now()
  const isAhead = occurredAt.getTime() > receivedAt.getTime() + AHEAD_MAX_MS
  const row = { id, provider, occurredAt: isAhead ? receivedAt : occurredAt, receivedAt, raw, ...columns }
  const kept = await queries
    .insert(table as typeof billingEvents)
    // The type of `columns` says that it is a row of the table, whichever that is.
    .values(row as unknown as typeof billingEvents.$inferInsert)
    .onConflictDoNothing()
    .returning({ id: table.id })
  return kept.length > 0
}

/** A stored report as it is folded, with the payer that it names. */
export type KeptReport = TimedReport & Readonly<{ customerId: string | null }>

/** All stored reports of a subscription but those of a deleted account, in no order. */
export async function readReports(
  queries: Queries,
  subscription: ProviderSubscription,
): Promise<KeptReport[]> {
  const rows = await queries
    .select()
    .from(billingEvents)
    .where(and(isOfSubscription(subscription), isNull(billingEvents.person)))
  return rows.map(toKeptReport)
}

/**
 * Locks a subscription until the transaction ends, so that its reports are applied one after another, even
 * while its account is unknown.
 */
export async function holdSubscription(
  queries: Queries,
  { provider, subscriptionId }: ProviderSubscription,
): Promise<void> {
  await queries.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`${provider} ${subscriptionId}`}, 0))`,
  )
}

/** The condition on `billing_events` for being a subscription's. */
export function isOfSubscription({ provider, subscriptionId }: ProviderSubscription) {
  return and(eq(billingEvents.provider, provider), eq(billingEvents.subscriptionId, subscriptionId))
}

/** The condition on `billing_events` for a report whose price is no plan here; as in the index for it. */
export const LACKS_PLAN = sql`${billingEvents.planId} is null and ${billingEvents.type} in ('paid', 'payment_failed', 'cancelled')`

/** The columns that hold a report. */
export function toColumns(report: BillingReport) {
  return {
    type: report.type,
    planId: 'planId' in report ? report.planId : null,
    until: 'until' in report ? report.until : null,
    from: 'from' in report ? report.from : null,
    origin: 'origin' in report ? report.origin : null,
    transactionId: 'transactionId' in report ? report.transactionId : null,
    adjustmentId: 'adjustmentId' in report ? (report.adjustmentId ?? null) : null,
    ...toMoneyColumns(report.type === 'charged' ? report : 'money' in report ? report.money : undefined),
  }
}

/** The report that a row holds. @throws Error for a row that {@link toColumns} did not write */
export function toKeptReport(row: Row): KeptReport {
  const { id, occurredAt, customerId } = row
  return { id, occurredAt, customerId, report: readReport(row) }
}

type Row = typeof billingEvents.$inferSelect

function readReport(row: Row): FoldedReport {
  const { type, planId, until, transactionId, origin, adjustmentId: id } = row
  if ((type === 'paid' || type === 'cancelled') && isReportedPlan(planId) && until) {
    return { type, planId, until }
  }
  if (type === 'payment_failed' && isReportedPlan(planId)) return { type, planId }
  if (type === 'ended') return { type }
  const isBack = type === 'refunded' || type === 'refunded_in_part' || type === 'restored'
  if (isBack && transactionId) return { type, transactionId, adjustmentId: id ?? undefined }
  if (type === 'charged' && transactionId && until) return { type, transactionId, until, origin }
  throw new Error(`billing event ${row.id} of ${row.provider} is not readable`)
}

function isReportedPlan(planId: number | null): planId is ReportedPlan {
  return planId === null || isPlanId(planId)
}

/** Whether the plan exists. */
export function isPlanId(planId: number): planId is PlanId {
  return planById(planId) !== undefined
}
