import { randomUUID } from 'node:crypto'
import { MONEY_COUNTS, MONEY_SUMS } from '@pairwire/contract/operator'
import fc from 'fast-check'
import type { BillingReport } from '../billing/billing-event.ts'
import { toColumns } from '../billing/billing-event-row.ts'
import type { Money, Sums } from '../database/money.ts'
import type { Database } from '../database/open-database.ts'
import { accounts, billingEvents, subscriptions } from '../database/schema.ts'
import type { MoneyMonth } from '../money/read-money.ts'
import { type MoneyHistory, readPlainMoney } from './plain-money.ts'

const DAY = 24 * 60 * 60_000
const FIRST = Date.UTC(2026, 0, 1)

/** Mostly midnights, so that reports meet each other and the edges of months. */
const aMoment: fc.Arbitrary<number> = fc
  .tuple(fc.nat(165), fc.constantFrom(0, 0, 0, -1, DAY / 2))
  .map(([day, off]) => FIRST + day * DAY + off)

const someSums = (currencies: readonly string[]): fc.Arbitrary<Sums> =>
  fc
    .record({
      currency: fc.constantFrom(...currencies),
      net: fc.constantFrom(0n, 2_900n, 7_900n, 19_900n, 100_001n),
      tax: fc.constantFrom(0n, 551n),
      fee: fc.constantFrom(null, 0n, 199n),
    })
    .map((sums) => ({ ...sums, amount: sums.net + sums.tax }))

const someMoney: fc.Arbitrary<Money> = fc
  .tuple(someSums(['own', 'other']), fc.option(someSums(['payout']), { freq: 3 }))
  .map(([sums, payout]) => ({ ...sums, payout }))

const aCharge = fc
  .record({
    from: aMoment,
    days: fc.constantFrom(28, 30, 31, 46, 59, 365),
    lateDays: fc.constantFrom(0, 0, 3),
    origin: fc.constantFrom(null, 'web', 'api', 'subscription_recurring', 'subscription_update'),
    money: someMoney,
  })
  .map(({ from, days, lateDays, origin, money }) => ({
    occurredAt: from + lateDays * DAY,
    report: {
      ...{ type: 'charged' as const, origin, from: new Date(from), until: new Date(from + days * DAY) },
      ...money,
    },
  }))

const aPlan = fc.constantFrom(1 as const, 2 as const, 3 as const, null)
const aStatus = fc.record({
  occurredAt: aMoment,
  report: fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('paid' as const),
        planId: aPlan,
        until: fc.constant(new Date(FIRST)),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('payment_failed' as const), planId: aPlan }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('cancelled' as const),
        planId: aPlan,
        until: fc.constant(new Date(FIRST)),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ type: 'ended' as const }) },
  ),
})
const aRefund = fc.record({
  occurredAt: aMoment,
  charge: fc.nat(5),
  type: fc.constantFrom('refunded' as const, 'refunded_in_part' as const, 'restored' as const),
  money: fc.option(someMoney, { nil: undefined }),
  saidTwice: fc.boolean(),
})

type Entry = MoneyHistory['reports'][number]

/** A subscription's reports, in any order and mostly nonsense. */
const aSubscription = fc
  .record({
    charges: fc.array(aCharge, { minLength: 1, maxLength: 4 }),
    statuses: fc.array(aStatus, { maxLength: 4 }),
    refunds: fc.array(aRefund, { maxLength: 2 }),
  })
  .map(({ charges, statuses, refunds }): Omit<Entry, 'subscriptionId'>[] => [
    ...charges.map(({ occurredAt, report }, at) =>
      anEntry(occurredAt, { ...report, transactionId: `txn_${at}` }),
    ),
    ...statuses.map(({ occurredAt, report }) => anEntry(occurredAt, report)),
    ...refunds.flatMap(({ occurredAt, charge, type, money, saidTwice }, at) => {
      // The last is of a payment that is not the subscription's.
      const report = {
        type,
        money,
        transactionId: `txn_${charge}`,
        adjustmentId: saidTwice ? `adj_${at}` : undefined,
      }
      return [anEntry(occurredAt, report), ...(saidTwice ? [anEntry(occurredAt + DAY, report)] : [])]
    }),
  ])

function anEntry(occurredAt: number, report: BillingReport): Omit<Entry, 'subscriptionId'> {
  return { id: randomUUID(), occurredAt: new Date(occurredAt), report }
}

/** Somebody with up to two subscriptions, and perhaps a trial. */
export const aHistory: fc.Arbitrary<MoneyHistory> = fc
  .record({
    subscriptions: fc.array(aSubscription, { maxLength: 2 }),
    trial: fc.option(fc.tuple(aMoment, fc.constantFrom(1, 5)), { nil: undefined }),
  })
  .map(({ subscriptions, trial }) => ({
    reports: subscriptions.flatMap((reports) => {
      const subscriptionId = randomUUID()
      return reports.map((report) => ({ ...report, subscriptionId }))
    }),
    trial: trial && { begins: new Date(trial[0]), ends: new Date(trial[0] + trial[1] * DAY) },
  }))

/**
 * Stores each history as an account's, with currencies of its own, so that figures can be told apart. Reports come in any order,
 * some at once; `between` is awaited after each of these.
 *
 * @returns the accounts
 */
export async function insertHistories(
  db: Database['db'],
  histories: readonly MoneyHistory[],
  between: () => Promise<unknown>,
): Promise<string[]> {
  const people = histories.map((history, at) => ({ id: randomUUID(), at, ...history }))
  await db.insert(accounts).values(
    people.map(({ id }) => ({
      ...{ id, email: id, emailNormalised: id, keyHash: id, keySealed: id },
      createdAt: new Date(FIRST),
      marketingEmails: false,
    })),
  )
  const rows = people.flatMap(({ id: accountId, at, reports }) =>
    reports.map(({ id, subscriptionId, occurredAt, report }) => {
      const columns = toColumns(report)
      return {
        ...{
          ...columns,
          id,
          accountId,
          subscriptionId,
          occurredAt,
          receivedAt: occurredAt,
          provider: 'paddle',
        },
        currency: columns.currency && `${columns.currency} ${at}`,
        payoutCurrency: columns.payoutCurrency && `${columns.payoutCurrency} ${at}`,
      }
    }),
  )
  // Their ids are random.
  rows.sort((left, right) => (left.id < right.id ? -1 : 1))
  const some = Math.ceil(rows.length / 4)
  for (let at = 0; at < rows.length; at += some) {
    await db.insert(billingEvents).values(rows.slice(at, at + some))
    await between()
  }
  await db.insert(subscriptions).values(
    people.flatMap(({ id: accountId, trial }) => {
      const { begins: startedAt, ends } = trial ?? {}
      return startedAt && ends
        ? [
            {
              id: randomUUID(),
              accountId,
              kind: 'trial' as const,
              planId: 1,
              startedAt,
              endsAt: ends,
              endedAt: ends,
            },
          ]
        : []
    }),
  )
  return people.map(({ id }) => id)
}

/** What a plain reading of the same gives. */
export function plainMonths(
  histories: readonly MoneyHistory[],
  names: readonly string[],
  until: Date,
): MoneyMonth[] {
  return names.map((month) => {
    const begins = new Date(`${month}-01T00:00:00Z`)
    const next = Date.UTC(begins.getUTCFullYear(), begins.getUTCMonth() + 1)
    const ends = new Date(Math.min(next - 1, until.getTime()))
    const counts = new Map<string, bigint>()
    const currencies = histories.flatMap((history, at) =>
      [...readPlainMoney(history, { begins, ends, until })].flatMap(([currency, sums]) => {
        if (currency !== '') {
          const all = MONEY_SUMS.map((figure) => [figure, sums.get(figure) ?? 0n])
          return [[`${currency} ${at}`, Object.fromEntries(all)]]
        }
        for (const [figure, value] of sums) counts.set(figure, (counts.get(figure) ?? 0n) + value)
        return []
      }),
    )
    const count = (figure: string) => Number(counts.get(figure) ?? 0n)
    return {
      month,
      counts: Object.fromEntries(
        MONEY_COUNTS.map((figure) => [figure, count(figure)]),
      ) as MoneyMonth['counts'],
      plans: Object.fromEntries(
        [0, 1, 2, 3].flatMap((plan) => (counts.has(`plan ${plan}`) ? [[plan, count(`plan ${plan}`)]] : [])),
      ),
      currencies: Object.fromEntries(currencies),
    }
  })
}
