import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyFirstMigrations, MIGRATION_COUNT } from '../testing/older-migrations.ts'
import { holdCode, MIGRATIONS, WORKER_URL } from '../testing/pglite-folders.ts'
import { openDatabase } from './open-database.ts'

// Data written by an earlier release must stay readable.
describe('migrations', () => {
  let folder: string
  beforeEach(() => {
    folder = join(tmpdir(), `pairwire-test-${randomUUID()}`)
    mkdirSync(folder)
    told = []
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** The migrations before which the service was told. */
  let told: string[]
  const open = (migrationsFolder: string) =>
    openDatabase(
      { folder: join(folder, 'database'), workerUrl: WORKER_URL },
      {
        ...{ migrationsFolder, log: { warn: () => {} }, closeWithinMs: 60_000 },
        beforeMigrating: async () => void told.push(migrationsFolder),
      },
    )
  const first = (count: number) => copyFirstMigrations(count, join(folder, 'migrations'))

  /** A database as it was after the first `count` migrations. */
  const openBefore = async (count: number) => {
    await holdCode()
    return open(first(count))
  }

  it('assign the counts of a period to its plan, the paid one before the trial', async () => {
    const [accountId, trial, paid] = [randomUUID(), randomUUID(), randomUUID()]
    const before = await openBefore(4)
    await before.db.execute(sql`
      insert into accounts (id, email, email_normalised, created_at, marketing_emails, key_hash, key_sealed)
      values (${accountId}, 'a@b.c', 'a@b.c', '2026-01-01', false, 'hash', 'sealed')`)
    await before.db.execute(sql`
      insert into subscriptions (id, account_id, kind, plan_id, started_at, ends_at, ended_at) values
        (${trial}, ${accountId}, 'trial', 1, '2026-01-01T12:00Z', '2026-01-06T12:00Z', '2026-01-04T12:00Z'),
        (${paid}, ${accountId}, 'paid', 1, '2026-01-04T12:00Z', '2026-02-11T12:00Z', null)`)
    await before.db.execute(sql`
      insert into delivered_counts (account_id, period, kind, count) values
        (${accountId}, '2026-01-01', 'swap', 10), (${accountId}, '2026-01-04', 'swap', 20),
        (${randomUUID()}, '2026-01-04', 'swap', 30)`)
    await before.close()

    const after = await open(MIGRATIONS)

    const { rows } = await after.db.execute(
      sql`select plan_in_force_id as plan, count::int from delivered_counts order by count`,
    )
    await after.close(0) // at once: nobody needs its dump
    expect(rows).toEqual([
      { plan: trial, count: 10 },
      { plan: paid, count: 20 },
    ])
  })

  // Guards the figures of every month before the release that reads them.
  it('fill what a charge and a refund were from the messages kept of them', async () => {
    const before = await openBefore(11)
    const sums = (tax: string, total: string, currency_code: string) => ({
      tax,
      total,
      fee: '40',
      currency_code,
    })
    const messages = {
      whole: {
        origin: 'web',
        billing_period: { starts_at: '2026-01-02T10:00:00.5Z', ends_at: '2026-02-02T10:00:00Z' },
        details: {
          totals: { ...sums('1501', '9401', 'USD'), grand_total: '9301', fee: null },
          payout_totals: { ...sums('1500', '8900', 'EUR'), grand_total: '8800' },
        },
      },
      // As the sandbox sent them, and as nobody should.
      bare: { details: { totals: { grand_total: '9301', currency_code: 'USD' } } },
      odd: {
        origin: 7,
        billing_period: { starts_at: 'soon' },
        details: { totals: 'x', payout_totals: [{ total: 'x' }] },
      },
    }
    const refund = {
      id: 'adj_1',
      totals: sums('1501', '9401', 'USD'),
      payout_totals: sums('1500', '8900', 'EUR'),
    }
    const rows = [
      ...Object.entries(messages).map(([id, data]) => ({ id, type: 'charged', amount: 9301, data })),
      { id: 'refund', type: 'refunded', amount: null, data: refund },
    ]
    for (const { id, type, amount, data } of rows) {
      const raw = JSON.stringify({ data })
      const currency = amount && 'USD'
      await before.db.execute(sql`
        insert into billing_events (provider, id, subscription_id, occurred_at, received_at, type, transaction_id, amount, currency, raw)
        values ('paddle', ${id}, 'sub', '2026-01-03', '2026-01-03', ${type}, 'txn', ${amount}, ${currency}, ${raw})`)
      await before.db.execute(sql`
        insert into order_events (provider, id, occurred_at, received_at, type, transaction_id, amount, currency, raw)
        values ('paddle', ${id}, '2026-01-03', '2026-01-03', ${type}, 'txn', ${amount}, ${currency}, ${raw})`)
    }
    await before.close()

    const after = await open(MIGRATIONS)

    const SUMS = sql`id, adjustment_id as adjustment, amount, net, tax, fee, currency,
      payout_amount || ' ' || payout_net || ' ' || payout_tax || ' ' || payout_fee || ' ' || payout_currency as payout`
    const charges =
      await after.db.execute(sql`select ${SUMS}, "from" = '2026-01-02 10:00:00.5Z' as told, "from", origin
      from billing_events where type = 'charged' order by id`)
    const others = await after.db.execute(sql`select ${SUMS} from order_events order by id`)
    const refunds = await after.db.execute(sql`select ${SUMS} from billing_events where type = 'refunded'`)
    await after.close(0) // at once: nobody needs its dump
    const bare = {
      adjustment: null,
      amount: '9301',
      net: '9301',
      tax: '0',
      fee: null,
      currency: 'USD',
      payout: null,
    }
    const whole = { ...bare, net: '7900', tax: '1501', payout: '8800 7400 1500 40 EUR' }
    const given = {
      amount: '9401',
      net: '7900',
      tax: '1501',
      fee: '40',
      currency: 'USD',
      payout: '8900 7400 1500 40 EUR',
    }
    expect(charges.rows).toMatchObject([
      { ...bare, id: 'bare', told: false, origin: null },
      { ...bare, id: 'odd', told: false, origin: '7' },
      { ...whole, id: 'whole', told: true, origin: 'web' },
    ])
    expect(refunds.rows).toEqual([{ ...given, id: 'refund', adjustment: 'adj_1' }])
    expect(others.rows).toEqual([
      { ...bare, id: 'bare' },
      { ...bare, id: 'odd' },
      { ...given, id: 'refund', adjustment: 'adj_1' },
      { ...whole, id: 'whole' },
    ])
  })

  it('are told first where the database has data, and refused where a newer release has made it', async () => {
    await (await openBefore(MIGRATION_COUNT - 1)).close()
    expect(told).toEqual([])

    await (await open(MIGRATIONS)).close()
    await (await open(MIGRATIONS)).close()

    expect(told).toEqual([MIGRATIONS])
    await expect(open(first(MIGRATION_COUNT - 1))).rejects.toThrow(
      'It was made by a newer Pairwire: use that version, or restore a backup from before the upgrade.',
    )
  })
})
