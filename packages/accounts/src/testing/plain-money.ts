import type { BillingReport } from '../billing/billing-event.ts'
import { inOrder } from '../billing/fold-reports.ts'
import type { Sums } from '../database/money.ts'

/** What one person did: reports on subscriptions, and the trial. */
export type MoneyHistory = Readonly<{
  reports: readonly Readonly<{
    id: string
    subscriptionId: string
    occurredAt: Date
    report: BillingReport
  }>[]
  trial: Readonly<{ begins: Date; ends: Date }> | undefined
}>

type Reports = MoneyHistory['reports']
type Charge = Extract<BillingReport, { type: 'charged' }>
type Refund = Extract<BillingReport, { type: 'refunded' | 'refunded_in_part' }>

const DAY = 24 * 60 * 60_000
const RECURRING = [null, 'web', 'api', 'subscription_recurring']

/** Sums by name, in one currency. */
export type PlainSums = Map<string, bigint>

/**
 * One person's figures of the month from `begins` to `ends` inclusive, looked at when it is `until`: sums by currency, and
 * counts as sums in the currency ''. Written from the specification's sentences, one moment at a time, and slow.
 */
export function readPlainMoney(
  history: MoneyHistory,
  { begins, ends, until }: Readonly<{ begins: Date; ends: Date; until: Date }>,
): Map<string, PlainSums> {
  const figures = new Map<string, PlainSums>()
  const add = (currency: string, figure: string, value: bigint) => {
    if (value === 0n) return
    const sums = figures.get(currency) ?? new Map<string, bigint>()
    figures.set(currency, sums.set(figure, (sums.get(figure) ?? 0n) + value))
  }
  addMovements(history.reports, begins, ends, add)
  addTakings(history.reports, (at) => at >= begins && at <= ends, add)
  addTrial(history, { begins, ends, until }, add)
  return figures
}

type Add = (currency: string, figure: string, value: bigint) => void

function addMovements(reports: Reports, begins: Date, ends: Date, add: Add): void {
  const before = worthByCurrency(reports, new Date(begins.getTime() - 1))
  const after = worthByCurrency(reports, ends)
  for (const currency of new Set([...before.keys(), ...after.keys()])) {
    const [start, end] = [before.get(currency) ?? 0n, after.get(currency) ?? 0n]
    add(currency, 'start', start)
    add(currency, 'mrr', end)
    if (start === 0n) add(currency, hasPaidBefore(reports, currency, begins) ? 'reactivated' : 'new', end)
    else if (end === 0n) add(currency, 'churn', start)
    else if (end > start) add(currency, 'expansion', end - start)
    else add(currency, 'contraction', start - end)
  }
  const [was, is] = [before.size > 0, after.size > 0]
  if (was) add('', 'payingAtStart', 1n)
  if (is) add('', 'paying', 1n)
  if (was && !is) add('', 'churned', 1n)

  const standing = subscriptionsOf(reports).map((own) => ({
    own,
    last: saidAt(own, ends),
    worth: worthAt(own, ends),
  }))
  const running = standing.filter(({ worth }) => worth !== undefined)
  for (const { last, worth } of running) {
    if (last?.type === 'cancelled') add(worth!.currency, 'leaving', worth!.value)
    if (last?.type === 'payment_failed') add(worth!.currency, 'atRisk', worth!.value)
  }
  if (running.some(({ last }) => last?.type === 'payment_failed')) add('', 'pastDue', 1n)
  const plans = running.map(({ last }) => (last && 'planId' in last ? (last.planId ?? 0) : 0))
  for (const plan of new Set(plans)) add('', `plan ${plan}`, 1n)
}

function addTakings(reports: Reports, isIn: (at: Date) => boolean, add: Add): void {
  const refundsSeen = new Set<string>()
  for (const own of subscriptionsOf(reports)) {
    for (const { occurredAt, report } of own) {
      if (report.type !== 'charged' || !isIn(occurredAt)) continue
      const { currency, amount, tax, fee } = inOneCurrency(report)
      add(currency, 'gross', amount)
      add(currency, 'tax', tax)
      add(currency, 'fees', fee ?? 0n)
    }
    for (const { id, subscriptionId, occurredAt, report } of inOrder(own)) {
      if (report.type !== 'refunded' && report.type !== 'refunded_in_part') continue
      const { transactionId, adjustmentId, money, type } = report as Refund
      const charge = chargesOf(own).find((one) => one.report.transactionId === transactionId)
      const name = `${subscriptionId} ${adjustmentId ?? id}`
      if (!charge || refundsSeen.has(name)) continue
      refundsSeen.add(name)
      const given = money ?? (type === 'refunded' ? charge.report : undefined)
      if (!given || !isIn(occurredAt)) continue
      add(inOneCurrency(given).currency, 'refunds', inOneCurrency(given).amount)
    }
    let before = ''
    for (const { occurredAt, report } of statusesOf(own)) {
      if (report.type === 'payment_failed' && before !== report.type && isIn(occurredAt))
        add('', 'failed', 1n)
      if (report.type === 'paid' && before === 'payment_failed' && isIn(occurredAt)) add('', 'recovered', 1n)
      before = report.type
    }
  }
}

function addTrial(
  { trial, reports }: MoneyHistory,
  { begins, ends, until }: Readonly<{ begins: Date; ends: Date; until: Date }>,
  add: Add,
): void {
  if (!trial) return
  if (trial.begins <= ends && trial.ends > ends) add('', 'trials', 1n)
  if (trial.begins < begins || trial.begins > ends) return
  const last = trial.ends.getTime() + 14 * DAY
  const isPaid = reports.some(
    ({ occurredAt, report }) =>
      report.type === 'charged' &&
      occurredAt >= trial.begins &&
      occurredAt.getTime() < last &&
      occurredAt <= until,
  )
  add('', 'trialsBegun', 1n)
  if (isPaid) add('', 'trialsPaid', 1n)
  else if (last > until.getTime()) add('', 'trialsOpen', 1n)
}

function worthByCurrency(reports: Reports, at: Date): Map<string, bigint> {
  const worth = new Map<string, bigint>()
  for (const own of subscriptionsOf(reports)) {
    const one = worthAt(own, at)
    if (one) worth.set(one.currency, (worth.get(one.currency) ?? 0n) + one.value)
  }
  return worth
}

/** Whether the person was worth anything at any moment before, which then was so when a charge began. */
function hasPaidBefore(reports: Reports, currency: string, before: Date): boolean {
  return chargesOf(reports)
    .map(({ report }) => report.from)
    .some((from) => from < before && worthByCurrency(reports, from).has(currency))
}

/** What a subscription is worth a month; undefined for nothing. */
function worthAt(own: Reports, at: Date): { currency: string; value: bigint } | undefined {
  const recurring = chargesOf(own).filter(({ report }) => RECURRING.includes(report.origin))
  const newest = recurring
    .filter(({ report }) => report.from <= at)
    .sort(
      (left, right) =>
        left.report.from.getTime() - right.report.from.getTime() ||
        left.occurredAt.getTime() - right.occurredAt.getTime() ||
        (left.id < right.id ? -1 : 1),
    )
    .at(-1)?.report
  if (!newest) return undefined
  const first = Math.min(...recurring.map(({ report }) => report.from.getTime()))
  const isOver = own.some(
    ({ occurredAt, report }) =>
      occurredAt <= at &&
      ((report.type === 'ended' && occurredAt.getTime() >= first) ||
        (report.type === 'refunded' && report.transactionId === newest.transactionId)),
  )
  if (isOver || !isCovered(own, newest.until, at)) return undefined

  const { currency, net } = inOneCurrency(newest)
  const months = Math.max(1, Math.round((newest.until.getTime() - newest.from.getTime()) / (30.44 * DAY)))
  const value = (2n * net + BigInt(months)) / (2n * BigInt(months))
  return value > 0n ? { currency, value } : undefined
}

/** Whether paid time lasts, or seven days after it in which nobody cancelled. */
function isCovered(own: Reports, until: Date, at: Date): boolean {
  if (at < until) return true
  if (at.getTime() >= until.getTime() + 7 * DAY) return false
  const moments = [
    until,
    ...own.map(({ occurredAt }) => occurredAt).filter((one) => one > until && one <= at),
  ]
  return moments.every((moment) => saidAt(own, moment)?.type !== 'cancelled')
}

function saidAt(own: Reports, at: Date): BillingReport | undefined {
  return statusesOf(own).findLast(({ occurredAt }) => occurredAt <= at)?.report
}

function statusesOf(own: Reports): Reports {
  return inOrder(own).filter(({ report }) => !('transactionId' in report))
}

function chargesOf(reports: Reports) {
  return reports.flatMap(({ id, occurredAt, report }) =>
    report.type === 'charged' ? [{ id, occurredAt, report: report as Charge }] : [],
  )
}

function subscriptionsOf(reports: Reports): Reports[] {
  const names = new Set(reports.map(({ subscriptionId }) => subscriptionId))
  return [...names].map((name) => reports.filter(({ subscriptionId }) => subscriptionId === name))
}

function inOneCurrency(money: Sums & { payout: Sums | null }): Sums {
  return money.payout ?? money
}
