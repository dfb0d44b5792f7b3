import { MONEY_COUNTS, MONEY_SUMS } from '@pairwire/contract/operator'
import { type SQL, sql } from 'drizzle-orm'
import { billingEvents } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { figuresOfOrders, figuresOfPlans, type Owners } from './money-figures.ts'

/** Figures of a UTC month, at its end or, of the month that still runs, at the moment they were asked for. */
export type MoneyMonth = Readonly<{
  /** As in `2026-01`. */
  month: string
  counts: Readonly<Record<(typeof MONEY_COUNTS)[number], number>>
  /** Paying people by plan id; 0 is a price that is no plan here. Somebody with two plans is in both. */
  plans: Readonly<Record<string, number>>
  /** Sums by currency code, never added to each other. */
  currencies: Readonly<Record<string, MoneySums>>
}>

export type MoneySums = Readonly<Record<(typeof MONEY_SUMS)[number], bigint>>

/**
 * Reports read by one question: the embedded database answers one at a time, and keys wait for it. A database too large for
 * that many questions is PostgreSQL, which is asked two at once.
 */
const REPORTS_AT_ONCE = 2_000
const QUESTIONS_MAX = 20

/**
 * Reads the figures of `months` UTC months, oldest first, up to the one in which `until` lies, that one as it is at `until`.
 * They follow from the kept reports and trials alone, so deleting an account changes none. Reports whose account nobody named
 * count nowhere. A chargeback that was reversed stays among the refunds.
 */
export async function readMoney(
  { db }: Store,
  { until, months }: Readonly<{ until: Date; months: number }>,
): Promise<MoneyMonth[]> {
  const begins = Array.from(
    { length: months },
    (_, at) => new Date(Date.UTC(until.getUTCFullYear(), until.getUTCMonth() - months + 1 + at)),
  )
  const read = { begins, until }
  const { rows: counted } = await db.execute(sql`select count(*)::int as reports from ${billingEvents}`)
  const slices = slicesOfOwners(
    Math.min(QUESTIONS_MAX, Math.ceil(Number(counted[0]?.reports) / REPORTS_AT_ONCE)),
  )
  const left = [figuresOfOrders(read), ...slices.map((owners) => figuresOfPlans(read, owners))].values()
  const figures: Figures = begins.map(() => new Map())
  const readOn = async () => {
    for (const question of left) {
      for (const { n, currency, figure, value } of await ask(db, question)) {
        const own = figures[Number(n) - 1]!
        const name = `${figure} ${currency}`
        own.set(name, (own.get(name) ?? 0n) + BigInt(String(value)))
      }
    }
  }
  await Promise.all(Array.from({ length: slices.length < QUESTIONS_MAX ? 1 : 2 }, readOn))
  return begins.map((begin, at) => toMonth(begin, figures[at]!))
}

/** Asks in a transaction of its own, so that its settings end with it: compiling such a question takes longer than it does. */
function ask(db: Store['db'], question: SQL) {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select set_config('jit', 'off', true), set_config('work_mem', '32MB', true)`)
    return (await tx.execute(question)).rows
  })
}

/** Figures by month, and by name and currency, which is empty for a count; of all owners. */
type Figures = readonly Map<string, bigint>[]

function toMonth(begins: Date, figures: ReadonlyMap<string, bigint>): MoneyMonth {
  const named = <Name extends string, Value>(names: Iterable<Name>, read: (name: Name) => Value) =>
    Object.fromEntries([...names].map((name) => [name, read(name)])) as Record<Name, Value>
  const sum = (figure: string, currency = '') => figures.get(`${figure} ${currency}`) ?? 0n
  const parts = [...figures.keys()].map((name) => /^(?:plan:(\d+)|\w+) (.*)$/.exec(name))
  const plans = parts.flatMap((part) => part?.[1] ?? [])
  const currencies = new Set(parts.flatMap((part) => part?.[2] || []).sort())
  return {
    month: begins.toISOString().slice(0, 7),
    counts: named(MONEY_COUNTS, (figure) => Number(sum(figure))),
    plans: named(plans, (plan) => Number(sum(`plan:${plan}`))),
    currencies: named(currencies, (currency) => named(MONEY_SUMS, (figure) => sum(figure, currency))),
  }
}

/** As many ranges of owners, about equal, since ids are random; at least one. */
function slicesOfOwners(wanted: number): Owners[] {
  const count = Math.max(1, wanted)
  const digits = (slice: number, before: number) =>
    (Math.ceil((slice * 2 ** 32) / count) - before).toString(16).padStart(8, '0')
  return Array.from({ length: count }, (_, slice) => ({
    first: `${digits(slice, 0)}-0000-0000-0000-000000000000`,
    last: `${digits(slice + 1, 1)}-ffff-ffff-ffff-ffffffffffff`,
  }))
}
