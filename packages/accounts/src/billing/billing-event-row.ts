import { type PlanId, planById } from '@pairwire/contract'
import { and, eq, sql } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { billingEvents } from '../database/schema.ts'
import type { BillingReport, ProviderSubscription, ReportedPlan } from './billing-event.ts'
import type { TimedReport } from './fold-reports.ts'

/** A stored report as it is folded, with the payer that it names. */
export type KeptReport = TimedReport & Readonly<{ customerId: string | null }>

/** All stored reports of a subscription, in no order. */
export async function readReports(
  queries: Queries,
  subscription: ProviderSubscription,
): Promise<KeptReport[]> {
  const rows = await queries.select().from(billingEvents).where(isOfSubscription(subscription))
  return rows.map(toKeptReport)
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
    transactionId: 'transactionId' in report ? report.transactionId : null,
    amount: 'amount' in report ? report.amount : null,
    currency: 'currency' in report ? report.currency : null,
  }
}

/** The report that a row holds. @throws Error for a row that {@link toColumns} did not write */
export function toKeptReport(row: Row): KeptReport {
  const { id, occurredAt, customerId } = row
  return { id, occurredAt, customerId, report: readReport(row) }
}

type Row = typeof billingEvents.$inferSelect

function readReport(row: Row): BillingReport {
  const { type, planId, until, transactionId, amount, currency } = row
  if ((type === 'paid' || type === 'cancelled') && isReportedPlan(planId) && until) {
    return { type, planId, until }
  }
  if (type === 'payment_failed' && isReportedPlan(planId)) return { type, planId }
  if (type === 'ended') return { type }
  if (type === 'refunded' && transactionId) return { type, transactionId }
  if (type === 'charged' && transactionId && until && amount !== null && currency) {
    return { type, transactionId, until, amount, currency }
  }
  throw new Error(`billing event ${row.id} of ${row.provider} is not readable`)
}

function isReportedPlan(planId: number | null): planId is ReportedPlan {
  return planId === null || isPlanId(planId)
}

/** Whether the plan exists. */
export function isPlanId(planId: number): planId is PlanId {
  return planById(planId) !== undefined
}
