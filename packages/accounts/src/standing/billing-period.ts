/** A billing period, in whole UTC days. */
type BillingPeriod = Readonly<{
  /** Its first day, `YYYY-MM-DD`. */
  period: string
  /** Midnight UTC at which the next one begins. */
  endsAt: Date
}>

/**
 * The billing period that contains `now`, for a plan that started at `startedAt`: periods begin on the UTC day of the start
 * and on the same day of every later month, or on the month's last day if it has no such day. Days are counted from the
 * start's own, so one short month does not move the later ones.
 *
 * A moment before the start belongs to the first period.
 */
export function billingPeriodOf(startedAt: Date, now: Date): BillingPeriod {
  let months =
    (now.getUTCFullYear() - startedAt.getUTCFullYear()) * 12 + now.getUTCMonth() - startedAt.getUTCMonth()
  if (dayAfterMonths(startedAt, months) > now.getTime()) months--
  months = Math.max(months, 0)

  return {
    period: new Date(dayAfterMonths(startedAt, months)).toISOString().slice(0, 10),
    endsAt: new Date(dayAfterMonths(startedAt, months + 1)),
  }
}

/** Midnight UTC of `start`'s day `months` later, Unix milliseconds. */
function dayAfterMonths(start: Date, months: number): number {
  const year = start.getUTCFullYear()
  const month = start.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(start.getUTCDate(), lastDay))
}
