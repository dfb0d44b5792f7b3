/** A plan that a user can choose. The only source of its figures: shown, enforced and documented from here. */
export type Plan = Readonly<{
  id: PlanId
  name: string
  /** US dollars a month. */
  usdPerMonth: number
  /** Swap events a billing period; `null` without a cap. New pairs are unlimited on every plan. */
  swapEventsPerPeriod: number | null
  /** Accounts allowed in the swap filter: the entries of all lists of `include` and `exclude` together. */
  swapFilterAccounts: number
  /** Whether `swapSubscribe` must bring a filter. */
  swapFilterRequired: boolean
  /** Connections open at a time. */
  connections: number
  /** Endpoints of webhooks. */
  webhooks: number
}>

/** Identifier of a plan on the wire. */
export type PlanId = 1 | 2 | 3

/** All plans, in the order of their ids. No module may read their figures while it loads: a start may change them. */
export const PLANS: readonly Plan[] = [
  {
    id: 1,
    name: 'NewPairs Only',
    usdPerMonth: 29,
    swapEventsPerPeriod: 1_000,
    swapFilterAccounts: 1,
    swapFilterRequired: false,
    connections: 1,
    webhooks: 1,
  },
  {
    id: 2,
    name: 'Basic',
    usdPerMonth: 79,
    swapEventsPerPeriod: null,
    swapFilterAccounts: 10,
    swapFilterRequired: true,
    connections: 1,
    webhooks: 3,
  },
  {
    id: 3,
    name: 'Pro',
    usdPerMonth: 199,
    swapEventsPerPeriod: null,
    swapFilterAccounts: 1_000,
    swapFilterRequired: false,
    connections: 1,
    webhooks: 10,
  },
]

/** The plan with this id; `undefined` for an unknown id. */
export function planById(id: number): Plan | undefined {
  return PLANS.find((plan) => plan.id === id)
}

/** The plan with this name in any case; `undefined` for an unknown name. */
export function planByName(name: string): Plan | undefined {
  return PLANS.find((plan) => plan.name.toLowerCase() === name.toLowerCase())
}

/** How a plan's swaps flow: up to a cap, those that pass a filter, or everything. */
export function swapFlow(plan: Plan): 'capped' | 'filtered' | 'everything' {
  if (plan.swapEventsPerPeriod !== null) return 'capped'
  return plan.swapFilterRequired ? 'filtered' : 'everything'
}

/** The dots of accounts `from` to `to` of a plan's 1,000, 100 in a row: a round-capped stroke each, in a box of 620 by 62. */
export function drawDots(from: number, to: number): string {
  const place = (index: number) => (2.2 + index * 6.2).toFixed(1)
  const dots = Array.from({ length: to - from }, (_, index) => from + index)
  return dots.map((dot) => `M${place(dot % 100)} ${place(Math.floor(dot / 100))}h.01`).join('')
}

/** The free trial, given once per user: its length, 0 where there is none. */
export const TRIAL = { days: 5 }

/** Figures that replace those of the plans, by the plan's id. */
export type PlanFigures = Readonly<
  Partial<Record<PlanId, Partial<Omit<Plan, 'id'>>>> & { trialDays?: number | undefined }
>

/** Sets figures of the plans: called once by the start of a process or a page, before anything reads them. */
export function setPlanFigures({ trialDays = TRIAL.days, ...plans }: PlanFigures): void {
  for (const plan of PLANS) Object.assign(plan, plans[plan.id])
  TRIAL.days = trialDays
}

/** All figures as one text: the processes that serve customers have to go by the same. */
export const plansText = (): string => JSON.stringify([PLANS, TRIAL])

/** US dollars from which a swap counts as a whale's, in examples and in the console. */
export const WHALE_USD = 10_000
