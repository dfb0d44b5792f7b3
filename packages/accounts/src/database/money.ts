import { bigint, text } from 'drizzle-orm/pg-core'
import { moment } from './moment.ts'

/** What a payment provider counts of a payment or a refund, in the smallest unit of one currency. */
export type Sums = Readonly<{
  currency: string
  /** With tax: what was taken, or given back. */
  amount: bigint
  /** Before tax, after discount. */
  net: bigint
  tax: bigint
  /** The provider's fee; null where it does not tell. */
  fee: bigint | null
}>

/** The sums in the payer's currency and, where the provider tells, in the one in which it pays us. */
export type Money = Sums & Readonly<{ payout: Sums | null }>

const units = (name: string) => bigint(name, { mode: 'bigint' })

/** The columns of a provider's report that hold its money; all null for one that tells of none. */
export const moneyColumns = () => ({
  amount: units('amount'),
  net: units('net'),
  tax: units('tax'),
  fee: units('fee'),
  currency: text('currency'),
  payoutAmount: units('payout_amount'),
  payoutNet: units('payout_net'),
  payoutTax: units('payout_tax'),
  payoutFee: units('payout_fee'),
  payoutCurrency: text('payout_currency'),
})

/**
 * What the other reports on its subscription make of a report. The database fills these by itself whenever one is added, by the
 * function `fold_money` of the migrations: figures of money are then sums.
 *
 *     at                until       + 7 days
 *      ├───── charge ─────┼─────────────┤   or until the next charge, its whole refund, the end of the subscription
 *                               ├── cancelled: the seven days end here
 */
export const worthColumns = () => ({
  /** Of a recurring charge: what it is worth a month. */
  monthly: units('monthly'),
  /** Until when that counts; of a report on the state, until when nothing else was said. */
  endsAt: moment('ends_at'),
  /** Of a report on the state: the type of the one before. */
  before: text('before'),
})

/** The values of {@link moneyColumns}. */
export function toMoneyColumns({ payout, ...own }: Partial<Money> = {}) {
  const { amount = null, net = null, tax = null, fee = null, currency = null } = own
  return {
    ...{ amount, net, tax, fee, currency },
    payoutAmount: payout?.amount ?? null,
    payoutNet: payout?.net ?? null,
    payoutTax: payout?.tax ?? null,
    payoutFee: payout?.fee ?? null,
    payoutCurrency: payout?.currency ?? null,
  }
}
