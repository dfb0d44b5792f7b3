import {
  accessOf,
  nextState,
  type StateOf,
  type SubscriptionInput,
  type SubscriptionState,
} from '../standing/subscription-state.ts'
import type { BillingReport, Refund } from './billing-event.ts'

/** A report as the fold reads it: a plan depends on no sum of money. */
export type FoldedReport =
  | Exclude<BillingReport, { transactionId: string }>
  | Readonly<{ type: 'charged'; transactionId: string; until: Date; origin: string | null }>
  | (Readonly<{ type: 'refunded' | 'refunded_in_part' | 'restored'; transactionId: string }> &
      Pick<Refund, 'adjustmentId'>)

/** An event as the fold reads it. */
export type TimedReport = Readonly<{ id: string; occurredAt: Date; report: FoldedReport }>

/**
 * The state that a subscription's events lead to, in whatever order they arrived: they are read in the order in which they
 * happened, and at the same moment whatever ends a plan comes last.
 */
export function foldReports(reports: readonly TimedReport[]): SubscriptionState {
  return stepsOf(reports).at(-1)?.state ?? { kind: 'none' }
}

/**
 * The state of a trial beside a subscription with these events. Events before the trial began do not affect it, nor do events
 * that leave the plan out of force.
 */
export function foldOverTrial(trial: StateOf<'trial'>, reports: readonly TimedReport[]): SubscriptionState {
  return stepsOf(reports)
    .filter(({ input, state }) => input.at >= trial.startedAt && accessOf(state) !== null)
    .reduce<SubscriptionState>((state, { input }) => nextState(state, input), trial)
}

/** Whether the provider still charges, as far as we know: it reported neither an end nor a cancellation. */
export function isChargedOn(reports: readonly TimedReport[]): boolean {
  const last = inOrder(reports).findLast(({ report }) => !('transactionId' in report))
  return last === undefined || last.report.type === 'paid' || last.report.type === 'payment_failed'
}

/** Sorts reports by when they happened. */
export function inOrder<Report extends TimedReport>(reports: readonly Report[]): Report[] {
  return [...reports].sort(
    (left, right) =>
      left.occurredAt.getTime() - right.occurredAt.getTime() ||
      RANK[left.report.type] - RANK[right.report.type] ||
      (left.id < right.id ? -1 : left.id > right.id ? 1 : 0),
  )
}

/** Origins of charges for the whole of a period. */
const WHOLE: readonly (string | null)[] = [null, 'web', 'api', 'subscription_recurring']

/** The inputs that events stand for, in the order in which they happened, each with the resulting state. */
function stepsOf(reports: readonly TimedReport[]): { input: SubscriptionInput; state: SubscriptionState }[] {
  const ordered = inOrder(reports).filter(({ report }) => !isReturned(report, reports))
  const charges = ordered.flatMap(({ report }) => (report.type === 'charged' ? [report] : []))
  // What a change of plan cost was added to a payment for the same time, which stands without it.
  const isAdded = ({ origin, until }: (typeof charges)[number]) =>
    !WHOLE.includes(origin) &&
    charges.some((other) => WHOLE.includes(other.origin) && other.until.getTime() === until.getTime())
  const paidBy = new Map(
    charges.flatMap((charge) => (isAdded(charge) ? [] : [[charge.transactionId, charge.until] as const])),
  )

  const steps: { input: SubscriptionInput; state: SubscriptionState }[] = []
  let state: SubscriptionState = { kind: 'none' }
  for (const { occurredAt, report } of ordered) {
    const input = toInput(report, occurredAt, state, paidBy)
    if (!input) continue
    state = nextState(state, input)
    steps.push({ input, state })
  }
  return steps
}

/** Whether this is a chargeback that was reversed: told by its id, or by another one as nothing else was given back. */
function isReturned(report: FoldedReport, reports: readonly TimedReport[]): boolean {
  if (report.type !== 'refunded') return false
  const same = reports.flatMap(({ report: one }) =>
    (one.type === 'refunded' || one.type === 'restored') && one.transactionId === report.transactionId
      ? [one]
      : [],
  )
  const isIt = ({ adjustmentId }: Refund) => adjustmentId === report.adjustmentId
  const isOnly = same.every((one) => one.type === 'restored' || isIt(one))
  return same.some((one) => one.type === 'restored' && (isOnly || isIt(one)))
}

/** The input that a report stands for in this state; undefined when it changes nothing. */
function toInput(
  report: FoldedReport,
  at: Date,
  state: SubscriptionState,
  paidBy: ReadonlyMap<string, Date>,
): SubscriptionInput | undefined {
  switch (report.type) {
    case 'charged':
    case 'refunded_in_part':
    case 'restored':
      return undefined
    case 'refunded': {
      // A payment for something else (another subscription, a single sale) says nothing about this one.
      const until = paidBy.get(report.transactionId)
      return until && { type: 'refunded', at, until }
    }
    case 'ended':
      return { type: 'ended', at }
    default: {
      // A price that is no plan here removes no plan: it pays for the current one.
      const planId = report.planId ?? ('planId' in state ? state.planId : undefined)
      return planId && { ...report, planId, at }
    }
  }
}

/** The order within one moment: an end or a refund comes after a beginning or a payment. */
const RANK: Readonly<Record<BillingReport['type'], number>> = {
  charged: 0,
  refunded_in_part: 0,
  restored: 0,
  paid: 1,
  payment_failed: 2,
  cancelled: 3,
  refunded: 4,
  ended: 5,
}
