import { drawDots, type Plan, swapFlow } from '@pairwire/contract/plans'
import { type ReactNode, useId } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Icon } from '../../components/icon.tsx'
import { filterAccountsLabel, planFacts, swapEventsLabel } from './plan-facts.ts'

type PlanCardProps = {
  plan: Plan
  /** Marks the plan that the user has. */
  current: boolean
  /** The button and the result of pressing it; absent when no plan can be chosen. */
  children?: ReactNode
}

/** One plan: its name, price, two pictures of its limits, and what it includes. */
export function PlanCard({ plan, current, children }: PlanCardProps) {
  const headingId = useId()
  const filled = plan.swapFilterAccounts
  return (
    <section className="plan-card" aria-labelledby={headingId}>
      <div className="plan-card-name aligned">
        <h2 id={headingId}>{plan.name}</h2>
        {current ? <Badge tone="quiet">Current plan</Badge> : null}
      </div>
      <p className="plan-card-price">
        <b>${plan.usdPerMonth}</b>
        <span className="second">/month</span>
      </p>
      <div>
        <p className="plan-card-caption">
          <span>Swap events</span>
          <b>{swapEventsLabel(plan)}</b>
        </p>
        <span className={`flow flow-${swapFlow(plan)}`} aria-hidden="true">
          <span />
        </span>
      </div>
      <div>
        <p className="plan-card-caption">
          <span>Accounts in the swap filter</span>
          <b>{filterAccountsLabel(plan)}</b>
        </p>
        <svg
          className="dot-field"
          viewBox="0 0 620 62"
          role="img"
          aria-label={`${filled.toLocaleString('en-GB')} of 1,000 dots filled`}
        >
          <path className="dot-field-empty" d={drawDots(filled, 1_000)} />
          <path
            className={filled === 1_000 ? 'dot-field-filled dot-field-full' : 'dot-field-filled'}
            d={drawDots(0, filled)}
          />
        </svg>
      </div>
      <ul className="plan-card-facts">
        {planFacts(plan).map(({ text, limit }) => (
          <li key={text} className={limit ? 'plan-card-limit' : undefined}>
            <Icon name={limit ? 'info' : 'check'} />
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {children ? <div className="plan-card-action">{children}</div> : null}
    </section>
  )
}
