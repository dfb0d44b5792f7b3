import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyPgliteTemplate, MIGRATIONS, WORKER_URL } from '../testing/pglite-folders.ts'
import { openDatabase } from './open-database.ts'

// Data written by an earlier release must stay readable.
describe('migrations', () => {
  let folder: string
  beforeEach(() => {
    folder = join(tmpdir(), `pairwire-test-${randomUUID()}`)
    mkdirSync(folder)
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const open = (migrationsFolder: string) =>
    openDatabase(
      { folder: join(folder, 'database'), workerUrl: WORKER_URL },
      { migrationsFolder, log: { warn: () => {} }, closeWithinMs: 60_000 },
    )
  /** The first `count` migrations, as they were released. */
  const first = (count: number) => {
    const older = join(folder, 'migrations')
    cpSync(MIGRATIONS, older, { recursive: true })
    const file = join(older, 'meta', '_journal.json')
    const journal = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }))
    return older
  }

  it('assign the counts of a period to its plan, the paid one before the trial', async () => {
    const [accountId, trial, paid] = [randomUUID(), randomUUID(), randomUUID()]
    await copyPgliteTemplate(join(folder, 'database'))
    const empty = await open(MIGRATIONS)
    await empty.db.execute(sql`drop schema public, drizzle cascade`)
    await empty.db.execute(sql`create schema public`)
    await empty.close()
    const before = await open(first(4))
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
})
