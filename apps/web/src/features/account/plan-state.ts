import { planByName, TRIAL_DAYS } from '@pairwire/contract/plans'
import type { Account } from '../../api/account.ts'

/** What the account page shows of the plan. */
export type PlanState = Readonly<{
  /** `No plan` without one. */
  name: string
  badge: 'Free Trial' | 'Cancelled' | 'Active' | undefined
  /** When it ends or renews; absent for a plan without an end. */
  end: Readonly<{ label: 'Expires' | 'Renews'; date: Date }> | undefined
  connectionLimit: number | undefined
  /** US dollars a month, where it is paid for. */
  usdPerMonth: number | undefined
  /** How far the trial or the billing month has gone, where that can be told. */
  period: Period | undefined
  /** What can be done about it: the specification's one button or link, or the line that stands in its place. */
  action: 'manage' | 'managed by support' | 'start trial' | 'subscribe' | 'upgrade'
  /** What a person without a plan has to know; absent for everybody else. */
  lead: string | undefined
}>

/** A stretch of whole days. */
export type Period = Readonly<{
  kind: 'trial' | 'month'
  start: Date
  days: number
  /** Days left, the one that runs included. */
  left: number
}>

const DAY_MS = 86_400_000

/** The state of `account`'s plan at `now` (milliseconds). */
export function readPlanState(account: Account, now: number): PlanState {
  const active = account.activeSubscription
  const action = actionOf(account)
  if (!active) {
    return {
      name: 'No plan',
      badge: undefined,
      end: undefined,
      connectionLimit: undefined,
      usdPerMonth: undefined,
      period: undefined,
      action,
      lead: leadOf(action),
    }
  }

  const cancelled = active.willCancel !== ''
  const expires = active.isFreeTrial || cancelled
  const date = readDate(expires && cancelled ? active.willCancel : active.renewalDate)
  return {
    name: planByName(active.planName)?.name ?? active.planName,
    badge: active.isFreeTrial ? 'Free Trial' : cancelled ? 'Cancelled' : 'Active',
    end: date && { label: expires ? 'Expires' : 'Renews', date },
    connectionLimit: active.connectionLimit || undefined,
    usdPerMonth: isPaidFor(account) ? planByName(active.planName)?.usdPerMonth : undefined,
    period: date && periodUntil(date, active.isFreeTrial ? 'trial' : 'month', now),
    action,
    lead: undefined,
  }
}

/** What stands above the way to a plan. */
function leadOf(action: PlanState['action']): string | undefined {
  if (action === 'start trial')
    return `You need a plan to open a stream. The first ${TRIAL_DAYS} days are free.`
  return action === 'upgrade' ? 'You need a plan to open a stream. You have used your free trial.' : undefined
}

/** Neither a trial nor a plan that support granted has a price. */
function isPaidFor({ activeSubscription, paidSubscription }: Account): boolean {
  return activeSubscription?.isFreeTrial === false && paidSubscription?.forbidManageSubscription !== true
}

/** A paid plan is managed, never upgraded; a trial is subscribed to; without a plan the trial comes first. */
function actionOf({ paidSubscription, activeSubscription, hasHadFreeTrial }: Account): PlanState['action'] {
  if (paidSubscription) return paidSubscription.forbidManageSubscription ? 'managed by support' : 'manage'
  if (activeSubscription) return activeSubscription.isFreeTrial ? 'subscribe' : 'upgrade'
  return hasHadFreeTrial ? 'upgrade' : 'start trial'
}

/** The trial's days or the month that ends at `end`; `undefined` when `now` lies outside of it. */
function periodUntil(end: Date, kind: Period['kind'], now: number): Period | undefined {
  const start = new Date(end)
  if (kind === 'trial') start.setTime(end.getTime() - TRIAL_DAYS * DAY_MS)
  else start.setUTCMonth(start.getUTCMonth() - 1)
  // 31 March less a month would be 3 March: such a month begins with February's last day.
  if (kind === 'month' && start.getUTCDate() !== end.getUTCDate()) start.setUTCDate(0)
  if (now < start.getTime() || now >= end.getTime()) return undefined
  return {
    kind,
    start,
    days: Math.round((end.getTime() - start.getTime()) / DAY_MS),
    left: Math.ceil((end.getTime() - now) / DAY_MS),
  }
}

function readDate(text: string): Date | undefined {
  const date = new Date(text)
  return text === '' || Number.isNaN(date.getTime()) ? undefined : date
}
