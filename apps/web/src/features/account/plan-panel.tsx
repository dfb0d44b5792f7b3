import type { Account } from '../../api/account.ts'
import { api } from '../../api/api.ts'
import { leaveFor, useCall } from '../../api/use-call.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { ActionError } from '../../components/field.tsx'
import type { IconName } from '../../components/icon.tsx'
import { Panel } from '../../components/panel.tsx'
import { formatDate, formatNumber } from '../../locale/locale.ts'
import { serverClock } from '../../session/server-clock.ts'
import { SupportLink } from '../../shell/support-link.tsx'
import { ACCOUNT_WORDS } from '../../specified-words.ts'
import { PeriodBar } from './period-bar.tsx'
import { type PlanState, readPlanState } from './plan-state.ts'
import './plan-panel.css'

const BADGES: Readonly<Record<NonNullable<PlanState['badge']>, { tone: BadgeTone; icon: IconName }>> = {
  'Free Trial': { tone: 'info', icon: 'clock' },
  Cancelled: { tone: 'warning', icon: 'ended' },
  Active: { tone: 'success', icon: 'check' },
}

type PlanPanelProps = {
  account: Account
  /** Hides the Subscribe or Upgrade link, because a subscription was just changed. */
  hideUpgrade: boolean
}

/** The plan: its name, state, dates and limit, and its one action. */
export function PlanPanel({ account, hideUpgrade }: PlanPanelProps) {
  const plan = readPlanState(account, Date.now() + serverClock.offset())
  return (
    <Panel className="plan" aria-label="Plan">
      <div className="plan-top">
        <div>
          <p className="second">Current plan</p>
          <p className="plan-name">{plan.name}</p>
        </div>
        {plan.badge ? (
          <Badge size="lg" {...BADGES[plan.badge]}>
            {plan.badge}
          </Badge>
        ) : null}
      </div>
      {plan.lead === undefined ? null : <p className="second plan-lead">{plan.lead}</p>}
      {account.activeSubscription ? (
        <div className="plan-rest">
          <dl className="facts">
            {plan.end ? <Fact name={plan.end.label} value={formatDate(plan.end.date)} /> : null}
            {plan.connectionLimit === undefined ? null : (
              <Fact name="Connection limit" value={formatNumber(plan.connectionLimit)} />
            )}
            {plan.usdPerMonth === undefined ? null : (
              <Fact name="Price" value={`$${plan.usdPerMonth}/month`} />
            )}
          </dl>
          {plan.period ? <PeriodBar period={plan.period} /> : null}
        </div>
      ) : null}
      <div className="plan-action">
        <PlanAction action={plan.action} hideUpgrade={hideUpgrade} />
      </div>
    </Panel>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function PlanAction({ action, hideUpgrade }: { action: PlanState['action']; hideUpgrade: boolean }) {
  switch (action) {
    case 'manage':
      return <ManagePlan />
    case 'managed by support':
      return (
        <p className="second">
          Support manages your plan. <SupportLink />
        </p>
      )
    case 'start trial':
      if (hideUpgrade) return null
      return (
        <div className="actions">
          <LinkButton variant="primary" to="/dashboard/upgrade">
            Start free trial
          </LinkButton>
          <LinkButton to="/dashboard/upgrade">Upgrade</LinkButton>
        </div>
      )
    default:
      if (hideUpgrade) return null
      return (
        <LinkButton variant="primary" to="/dashboard/upgrade">
          {action === 'subscribe' ? 'Subscribe' : 'Upgrade'}
        </LinkButton>
      )
  }
}

/** Goes to the payment provider's page; shows a failure under the button. */
export function ManagePlan() {
  const { run, busy, failure } = useCall(() => leaveFor(api.manageSubscription()))
  return (
    <>
      <Button variant="primary" busy={busy !== undefined} onClick={() => run()}>
        Manage Plan
      </Button>
      <ActionError>{failure && ACCOUNT_WORDS.manageFailed}</ActionError>
    </>
  )
}
