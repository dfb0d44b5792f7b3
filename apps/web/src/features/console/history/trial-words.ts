import type { FilterTrial } from '@pairwire/contract/history-trial'
import { formatCount, formatNumber } from '../../../locale/locale.ts'

type Plan = FilterTrial['plans'][number]

/** Minutes of the 30 days that a plan's events are counted over. */
const PERIOD_MINUTES = 43_200

/** Describes a trial in two sentences: how much matched, and which plans suffice. `what` is `swaps` or `new pairs`. */
export function trialWords(trial: FilterTrial, what: string, planName: string | undefined): string {
  const hours = trial.byHour.length
  const span = hours === 1 ? 'hour' : `${hours} hours`
  const month = formatNumber(Number(trial.perMonth.toPrecision(2)))
  const found = `${formatNumber(trial.matched)} of ${formatNumber(trial.total)} ${what} in the last ${span}, about ${month} a month.`
  return `${found} ${planWords(trial, planName)}`
}

/** Describes the account's plan, or without one the first, and the cheapest that suffices. */
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

/** Formats a duration in its largest unit, `50 minutes`. */
function lengthWords(minutes: number): string {
  const [count, unit] =
    minutes < 120 ? [minutes, 'minute'] : minutes < 2_880 ? [minutes / 60, 'hour'] : [minutes / 1_440, 'day']
  return formatCount(Math.max(1, Math.floor(count)), unit)
}
