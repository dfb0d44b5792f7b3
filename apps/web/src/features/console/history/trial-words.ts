import type { FilterTrial } from '@pairwire/contract/history-trial'
import { formatNumber } from '../../../locale/locale.ts'

type Plan = FilterTrial['plans'][number]

/** Minutes of the 30 days over which a plan's events are counted. */
const PERIOD_MINUTES = 43_200

/** What a trial found, in two sentences: how much matched, and which plans bear it. `what` is `swaps` or `new pairs`. */
export function trialWords(trial: FilterTrial, what: string, planName: string | undefined): string {
  const hours = trial.byHour.length
  const span = hours === 1 ? 'hour' : `${hours} hours`
  const month = formatNumber(Number(trial.perMonth.toPrecision(2)))
  const found = `${formatNumber(trial.matched)} of ${formatNumber(trial.total)} ${what} in the last ${span}, about ${month} a month.`
  return `${found} ${planWords(trial, planName)}`
}

/** Of the account's plan, or where it has none the first, and of the cheapest that bears it. */
function planWords({ plans, cheapest }: FilterTrial, planName: string | undefined): string {
  const own = plans.find(({ name }) => name === planName) ?? plans[0]
  if (own && isBorne(own)) return `${own.name} allows it.`
  const bears = plans.find(({ id }) => id === cheapest)
  const others = bears ? `${bears.name} allows it.` : 'no plan allows it.'
  return own ? `${faultWords(own)}; ${others}` : others
}

function isBorne({ allowed, share }: Plan): boolean {
  return allowed && (share ?? 0) <= 1
}

function faultWords({ name, allowed, reason, share }: Plan): string {
  if (!allowed) return `${name} refuses it (${(reason ?? '').replace(/\.$/, '')})`
  return `${name} would end after ${lengthWords(PERIOD_MINUTES / (share ?? 1))}`
}

/** A length of time in its largest unit, `50 minutes`. */
function lengthWords(minutes: number): string {
  const [count, unit] =
    minutes < 120 ? [minutes, 'minute'] : minutes < 2_880 ? [minutes / 60, 'hour'] : [minutes / 1_440, 'day']
  const whole = Math.max(1, Math.floor(count))
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`
}
