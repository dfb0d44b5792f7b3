import { MONEY_SUMS } from '@pairwire/contract/operator'
import { formatBytes, formatNumber } from '../locale/locale.ts'

/** A row of a verb, whichever. */
export type Row = Readonly<Record<string, unknown>>

/** What is shown for nothing. */
export const NOTHING = '–'

/** Words for members whose name does not say it. */
const LABELS: Readonly<Record<string, string>> = {
  at: 'Time',
  seenAt: 'Last seen',
  lastSeenAt: 'Last seen',
  joinedAt: 'Joined',
  capShare: 'Share of the cap',
  connections: 'Connections open',
  accountId: 'Account',
  mrr: 'MRR',
  churnShare: 'Churn of people',
  conversionShare: 'Trial conversion',
  cores: 'CPU',
  usd: 'USD',
  id: 'Id',
  url: 'Record',
  refusals: 'Refused transactions',
  unknown: 'Unknown instructions',
  ended: 'Ended connections',
  usage: 'Use in 30 days',
}

/** Whether a member is a moment in UTC. */
export function isTime(name: string): boolean {
  return /[a-z](At|To)$|^(at|from|until|since)$/.test(name)
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** A member's name as the head of a column: `queuedBytes` is "Queued bytes". Times say that they are UTC. */
export function labelOf(name: string, isMoment: boolean = isTime(name)): string {
  const plain = name
    .replace(/^is(?=[A-Z])|(?<=.)(Bytes|Ms)$/g, '')
    .replace(/(\d+)([dh])$/, ' in $1 $2')
    .replaceAll(/_|(?<=[a-z])[A-Z]/g, (at) => ` ${at.replace('_', '').toLowerCase()}`)
  const label = LABELS[name] ?? plain.charAt(0).toUpperCase() + plain.slice(1)
  return isMoment ? `${label} (UTC)` : label
}

/** A moment in UTC, to the second: `2026-11-26 20:31:05`. */
export function showTime(time: string): string {
  return time.slice(0, 19).replace('T', ' ')
}

/** Counts of what went wrong, and words for it: both are shown in the one colour of trouble. */
const FAULTS = [
  ...['faults', 'faults24h', 'notFilled', 'failures', 'givenUp24h', 'refused', 'pastDue', 'gapHours'],
  ...['atRisk', 'failed', 'waitingUploads'],
]
const FAULTY = ['past_due', 'suspended', 'fail', 'raised', 'given_up', 'refused', 'away']

/** Whether a member of a row calls for somebody. */
export function isTrouble(name: string, value: unknown): boolean {
  if (FAULTS.includes(name)) return Number(value) > 0
  if (name === 'capShare') return Number(value) >= 1
  if (name === 'missing') return Array.isArray(value) && value.length > 0
  return name === 'trouble'
    ? Boolean(value)
    : (name === 'up' && value === false) || FAULTY.includes(String(value))
}

/** Whether a member's values are figures, which stand at the end of their column. */
export function isFigure(name: string, value: unknown): boolean {
  return (typeof value === 'number' && !namesOne(name)) || isSum(name) || name.endsWith('Share')
}

/** Whether a member's value names something, such as an order: it is copied from here into a form. */
const namesOne = (name: string) => /^(id|order|orderId)$/.test(name)

const isSum = (name: string) =>
  name === 'amount' || name === 'tax' || (MONEY_SUMS as readonly string[]).includes(name)

/** A member of a row as text, by its name and kind. */
export function show(name: string, value: unknown, row: Row = {}): string {
  if (value === null || value === undefined || value === '') return NOTHING
  if (isSum(name) && typeof row.currency === 'string') return showMoney(String(value), row.currency)
  if (typeof value === 'number') return showNumber(name, value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value))
    return value.length === 0 ? NOTHING : value.map((one) => show(name, one)).join(', ')
  if (typeof value === 'object') {
    const members = Object.entries(value).map(([key, member]) => `${key}: ${showChange(key, member)}`)
    return members.length === 0 ? NOTHING : members.join(', ')
  }
  const text = String(value)
  return TIME.test(text) ? showTime(text) : text
}

/** In an act, each changed thing stands as before and after. */
function showChange(name: string, value: unknown): string {
  return Array.isArray(value) && value.length === 2
    ? value.map((one) => show(name, one)).join(' → ')
    : show(name, value)
}

function showNumber(name: string, value: number): string {
  if (/share$|^cores$/i.test(name)) return `${formatNumber(Math.round(value * 1_000) / 10)} %`
  if (/bytes$/i.test(name)) return formatBytes(value)
  if (/ms$/i.test(name)) return `${formatNumber(Math.round(value))} ms`
  return namesOne(name) ? String(value) : formatNumber(value)
}

/** A sum in the currency's smallest unit. */
export function showMoney(sum: string, currency: string): string {
  if (currency === '') return sum === '0' ? NOTHING : sum
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency, currencyDisplay: 'code' })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return format.format(Number(sum) / 10 ** digits)
}
