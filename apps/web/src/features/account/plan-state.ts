import { planByName, TRIAL } from '@pairwire/contract/plans'
import { DAY_MS } from '@pairwire/contract/time-units'
import type { Account } from '../../api/account.ts'

/** The plan as the account page shows it. */
export type PlanState = Readonly<{
  /** `No plan` without one. */
  name: string
  badge: 'Free Trial' | 'Cancelled' | 'Active' | undefined
  /** When it ends or renews; absent for a plan without an end. */
  end: Readonly<{ label: 'Expires' | 'Renews'; date: Date }> | undefined
  connectionLimit: number | undefined
  /** US dollars a month, if it is paid for. */
  usdPerMonth: number | undefined
  /** The elapsed part of the trial or the billing month, if known. */
  period: Period | undefined
  /** Its action: the specification's one button or link, or the line in its place. */
  action: 'manage' | 'managed by support' | 'start trial' | 'subscribe' | 'upgrade'
  /** What a person without a plan has to know; absent for all others. */
  lead: string | undefined
}>

/** A number of whole days. */
export type Period = Readonly<{
  kind: 'trial' | 'month'
  start: Date
  days: number
  /** Days left, including the current one. */
  left: number
}>

/** Returns the state of `account`'s plan at `now` (milliseconds). */
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
  const kind = active.isFreeTrial ? 'trial' : 'month'
  const date = readDate(expires && cancelled ? active.willCancel : active.renewalDate)
  return {
    name: planByName(active.planName)?.name ?? active.planName,
    badge: active.isFreeTrial ? 'Free Trial' : cancelled ? 'Cancelled' : 'Active',
    end: date && { label: expires ? 'Expires' : 'Renews', date },
    connectionLimit: active.connectionLimit || undefined,
    usdPerMonth: isPaidFor(account) ? planByName(active.planName)?.usdPerMonth : undefined,
    period: date && action !== 'managed by support' ? periodUntil(date, kind, now) : undefined,
    action,
    lead: undefined,
  }
}

/** Returns the text above the way to a plan. */
function leadOf(action: PlanState['action']): string | undefined {
  if (action === 'start trial')
    return `You need a plan to open a stream. The first ${TRIAL.days} days are free.`
  if (action !== 'upgrade') return undefined
  return `You need a plan to open a stream.${TRIAL.days > 0 ? ' You have used your free trial.' : ''}`
}

/** Neither a trial nor a plan granted by support has a price. */
function isPaidFor({ activeSubscription, paidSubscription }: Account): boolean {
  return activeSubscription?.isFreeTrial === false && paidSubscription?.forbidManageSubscription !== true
}

/** A paid plan is managed, never upgraded; a trial leads to a subscription; without a plan the trial comes first. */
function actionOf({ paidSubscription, activeSubscription, hasHadFreeTrial }: Account): PlanState['action'] {
  if (paidSubscription) return paidSubscription.forbidManageSubscription ? 'managed by support' : 'manage'
  if (activeSubscription) return activeSubscription.isFreeTrial ? 'subscribe' : 'upgrade'
  return hasHadFreeTrial ? 'upgrade' : 'start trial'
}

/** Returns the trial's days or the month that ends at `end`; `undefined` when `now` is outside it. */
function periodUntil(end: Date, kind: Period['kind'], now: number): Period | undefined {
  const start = new Date(end)
  if (kind === 'trial') start.setTime(end.getTime() - TRIAL.days * DAY_MS)
  else start.setUTCMonth(start.getUTCMonth() - 1)
  // 31 March minus a month would be 3 March: such a month begins on February's last day.
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
