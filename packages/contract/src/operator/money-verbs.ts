import * as z from 'zod/mini'
import { list, MaybeText, Moment, Who } from './verb.ts'

/** Sums of a month in one currency, in its smallest unit. */
export const MONEY_SUMS = [
  /** Monthly revenue at the month's start and at its end; the movements between lead exactly from one to the other. */
  ...['start', 'new', 'reactivated', 'expansion', 'contraction', 'churn', 'mrr'],
  /** Parts of `mrr`: cancelled, but still running; payment failed. */
  ...['leaving', 'atRisk'],
  /** Of plans: taken, with tax; the tax in it; given back, with tax; the provider's fees, where it tells. */
  ...['gross', 'tax', 'refunds', 'fees'],
  /** The same of orders of history, which are in none of the above. */
  ...['orderGross', 'orderTax', 'orderRefunds', 'orderFees'],
] as const

/** Counts of a month, over all currencies. */
export const MONEY_COUNTS = [
  /** People with monthly revenue at the month's start, at its end, and at its start only. */
  ...['payingAtStart', 'paying', 'churned'],
  /** People at its end whose payment failed, and whose trial runs. */
  ...['pastDue', 'trials'],
  /** Trials that began in it, those of them with a payment until 14 days after their end, and those that may still get one. */
  ...['trialsBegun', 'trialsPaid', 'trialsOpen'],
  /** Payments of plans that failed, and that succeeded after they had; orders of history that were paid. */
  ...['failed', 'recovered', 'orders'],
] as const

const each = <const Names extends readonly string[], Schema>(names: Names, schema: Schema) =>
  Object.fromEntries(names.map((name) => [name, schema])) as { [Name in Names[number]]: Schema }

const Share = z.nullable(z.number())

const MoneyRow = z.object({
  /** UTC, as in `2026-01`. */
  month: z.string(),
  /** Empty for a month without money. */
  currency: z.string(),
  /** Whether the month still runs, or one of its trials may still be paid for. */
  isSoFar: z.boolean(),
  ...each(MONEY_SUMS, z.string()),
  /** Counts and shares are of all currencies, and the same in each row of a month. */
  ...each(MONEY_COUNTS, z.int()),
  /** Of those who paid at the month's start; of the trials that began in it. Null for none. */
  churnShare: Share,
  conversionShare: Share,
  /** Paying people by plan id; 0 is a price that is no plan here. */
  plans: z.record(z.string(), z.int()),
})
export type MoneyRow = z.infer<typeof MoneyRow>

/** A charge for part of a plan's time, or for an order of history. */
const PaymentRow = z.object({
  id: z.string(),
  paidAt: z.string(),
  /** Null once the account is gone. */
  ...{ accountId: MaybeText, email: MaybeText },
  ...{ provider: z.string(), transactionId: MaybeText, subscriptionId: MaybeText },
  ...{ plan: MaybeText, orderId: z.nullable(z.int()), from: MaybeText, until: MaybeText },
  /** In the currency's smallest unit; the amount with tax. */
  ...{ amount: MaybeText, tax: MaybeText, currency: MaybeText },
  /** The provider's word for why it charged. */
  origin: MaybeText,
  refunded: z.enum(['no', 'part', 'whole']),
  /** The payment's page at the provider; null where it has none. */
  url: MaybeText,
})

/** Verbs on money. */
export const MONEY_VERBS = {
  'money show': list({
    input: { months: z.optional(z.int().check(z.gte(1), z.lte(120))) },
    row: MoneyRow,
    hasCsv: true,
    words: { months: '[--months N]' },
    help: 'revenue by month and currency, in its smallest unit',
  }),
  'payments list': list({
    input: { account: z.optional(Who), since: z.optional(Moment) },
    row: PaymentRow,
    hasCsv: true,
    words: { account: '[--account <who>]', since: '[--since DATE]' },
    help: 'charges, newest first',
  }),
}
