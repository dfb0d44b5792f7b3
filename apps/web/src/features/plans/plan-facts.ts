import { PLANS, type Plan, swapFlow } from '@pairwire/contract/plans'

/** One line of what a plan includes; `limit` marks a requirement rather than a benefit. */
type PlanFact = Readonly<{ text: string; limit?: true }>

/** The caption of the flow: `1,000 a month`, `Unlimited filtered` or `Unlimited`. */
export function swapEventsLabel(plan: Plan): string {
  if (plan.swapEventsPerPeriod !== null) return `${groupDigits(plan.swapEventsPerPeriod)} a month`
  return plan.swapFilterRequired ? 'Unlimited filtered' : 'Unlimited'
}

/** Accounts in the swap filter, with thousands as the specification writes them: `1K`. */
export function filterAccountsLabel(plan: Plan): string {
  const { swapFilterAccounts } = plan
  return swapFilterAccounts >= 1_000 ? `${swapFilterAccounts / 1_000}K` : String(swapFilterAccounts)
}

/** Connections of a plan, or of every plan if all have as many: `1 connection`. */
export function connectionsLabel(plan?: Plan): string | undefined {
  const { connections } = plan ?? PLANS[0]!
  if (!plan && PLANS.some((other) => other.connections !== connections)) return undefined
  return `${groupDigits(connections)} ${connections === 1 ? 'connection' : 'connections'}`
}

/** What the plan includes, line by line. */
export function planFacts(plan: Plan): readonly PlanFact[] {
  const connections = connectionsLabel() ? [] : [{ text: connectionsLabel(plan)! }]
  return [...swapFacts(plan), ...connections]
}

function swapFacts(plan: Plan): readonly PlanFact[] {
  const accounts = `${filterAccountsLabel(plan)} ${plan.swapFilterAccounts === 1 ? 'account' : 'accounts'} in the swap filter`
  switch (swapFlow(plan)) {
    case 'capped':
      return [
        { text: 'Unlimited NewPair events' },
        { text: `${groupDigits(plan.swapEventsPerPeriod ?? 0)} swap events a month` },
        { text: accounts },
      ]
    case 'filtered':
      return [
        { text: 'Unlimited filtered swaps' },
        { text: accounts },
        { text: 'At least one filter required', limit: true },
      ]
    case 'everything':
      return [{ text: 'Unlimited swaps' }, { text: accounts }, { text: 'No filter requirement' }]
  }
}

/** Prices and limits are specified in English digits. */
function groupDigits(value: number): string {
  return value.toLocaleString('en-GB')
}
