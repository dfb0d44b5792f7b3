import { createHash } from 'node:crypto'
import { MONEY_COUNTS, MONEY_SUMS } from '@pairwire/contract/operator'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { billingEvents, moneyMonths } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { figuresOfOrders, figuresOfPlans, figuresOfTrials } from './money-figures.ts'

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
 * Reads the figures of `months` UTC months, oldest first, up to the one in which `until` lies, that one as it is at `until`.
 * They follow from the kept reports and trials alone, so deleting an account changes none. Reports whose account nobody named
 * count nowhere. A chargeback that was reversed stays among the refunds, and its plan is worth something from its next payment.
 *
 * Each month is a question of its own, since keys wait for the embedded database, which answers one at a time; and one after the
 * other, since a database on this machine would take every core from the stream. What is over is read once and kept: see
 * `moneyMonths`.
 */
export async function readMoney(
  { db }: Store,
  { until, months }: Readonly<{ until: Date; months: number }>,
): Promise<MoneyMonth[]> {
  const begins = Array.from({ length: months + 1 }, (_, at) =>
    Date.UTC(until.getUTCFullYear(), until.getUTCMonth() - months + 1 + at),
  ).map((ms) => new Date(ms))
  const read = { begins: begins.slice(0, months), until }
  const figures: Figures = read.begins.map(() => new Map())
  const add = (rows: readonly FigureRow[], month?: number) => {
    for (const { n, currency, figure, value } of rows)
      figures[(month ?? n) - 1]!.set(`${figure} ${currency}`, BigInt(value))
  }
  add(await ask(db, figuresOfTrials(read)))
  add(await ask(db, figuresOfOrders(read)))
  for (const [at, begin] of read.begins.entries()) {
    const end = new Date(begins[at + 1]!.getTime() - 1)
    const rows = end <= until ? await readKept(db, begin, end) : await ask(db, figuresOfPlans(begin, until))
    add(rows, at + 1)
  }
  return read.begins.map((begin, at) => toMonth(begin, figures[at]!))
}

/** A figure of a month, by its number; `currency` is empty for a count. */
type FigureRow = Readonly<{ n: number; currency: string; figure: string; value: string }>

/** The figures of a month that is over, as they were read last; read and kept if a report has come since. */
async function readKept(db: Store['db'], begin: Date, until: Date): Promise<readonly FigureRow[]> {
  const read = figuresOfPlans(begin, until)
  const question = createHash('sha256').update(new PgDialect().sqlToQuery(read).sql).digest('hex')
  const [kept] = await db
    .select({ figures: moneyMonths.figures })
    .from(moneyMonths)
    .where(and(eq(moneyMonths.until, until), eq(moneyMonths.question, question)))
  if (kept) return kept.figures as FigureRow[]
  return db.transaction(async (tx) => {
    await tx.execute(SETTINGS)
    // No report may come between the reading and the keeping: it would forget too early.
    await tx.execute(sql`lock table ${billingEvents} in share mode`)
    const { rows } = await tx.execute<FigureRow>(read)
    const row = { until, question, figures: rows }
    await tx.insert(moneyMonths).values(row).onConflictDoUpdate({ target: moneyMonths.until, set: row })
    return rows
  })
}

/** Compiling such a question would take longer than answering it, and it must leave the other cores alone. */
const SETTINGS = sql`select set_config('jit', 'off', true), set_config('work_mem', '32MB', true),
  set_config('max_parallel_workers_per_gather', '0', true)`

/** Asks in a transaction of its own, so that its settings end with it. */
function ask(db: Store['db'], question: SQL): Promise<readonly FigureRow[]> {
  return db.transaction(async (tx) => {
    await tx.execute(SETTINGS)
    return (await tx.execute<FigureRow>(question)).rows
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
