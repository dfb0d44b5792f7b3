import { hash } from 'node:crypto'
import type { Client } from 'pg'

/** Rows that are read at once. */
const BATCH = 1_000

/** The sum of hashes counts to 256 bits. */
const MASK = (1n << 256n) - 1n

/** Counts rows and adds up the hashes of their texts, so that their order, which a database does not keep, does not matter. */
export class TableSum {
  rows = 0
  #sum = 0n

  add(line: string): void {
    this.rows++
    this.#sum += BigInt(`0x${hash('sha256', line)}`)
  }

  /** 64 characters of hex. */
  get hash(): string {
    return (this.#sum & MASK).toString(16).padStart(64, '0')
  }
}

/** Begins a transaction in which texts of rows are the same on every server, and which has no limit of time. */
export async function beginTransaction(
  client: Client,
  mode: 'isolation level repeatable read, read only' | 'read write',
) {
  await client.query(`begin ${mode}`)
  await client.query("set local timezone = 'UTC'; set local statement_timeout = 0")
  await client.query('set local idle_in_transaction_session_timeout = 0')
}

/** Every table of the database but unlogged ones, which are copies; parents before the tables that refer to them. */
export async function listTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; parents: string[] }>(`
    select c.relname as name, array(
      select p.relname::text from pg_constraint f join pg_class p on p.oid = f.confrelid
      where f.conrelid = c.oid and f.contype = 'f' and p.oid <> c.oid
    ) as parents
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p' order by 1`)
  const sorted: string[] = []
  for (let left = rows; left.length > 0; left = left.filter(({ name }) => !sorted.includes(name))) {
    const next = left.filter(({ parents }) => parents.every((parent) => sorted.includes(parent)))
    if (next.length === 0) throw new Error('Tables of the database refer to each other in a circle.')
    sorted.push(...next.map(({ name }) => name))
  }
  return sorted
}

/** Every row of a table as the database's own JSON, a batch of lines at a time; `sum` adds them up. */
export async function* readRows(client: Client, table: string, sum: TableSum): AsyncGenerator<string[]> {
  await client.query(
    `declare rows no scroll cursor for select row_to_json(t)::text as line from ${named(table)} t`,
  )
  const fetch = () => {
    const batch = client.query<[string]>({ text: `fetch ${BATCH} from rows`, rowMode: 'array' })
    // Nobody waits for the one that follows a fault.
    batch.catch(() => {})
    return batch
  }
  for (let next = fetch(); ; ) {
    const { rows } = await next
    if (rows.length === 0) break
    // The database writes a batch while the one before it is hashed and kept.
    next = fetch()
    const lines = rows.map(([line]) => line)
    for (const line of lines) sum.add(line)
    yield lines
  }
  await client.query('close rows')
}

/** Adds rows as {@link readRows} gives them; the database reads them itself, so no value passes through a number here. */
export async function addRows(client: Client, table: string, lines: readonly string[]): Promise<void> {
  const rows = `json_populate_recordset(null::${named(table)}, $1::json)`
  await client.query(`insert into ${named(table)} select * from ${rows}`, [`[${lines.join(',')}]`])
}

/**
 * Drops what would be looked up or called for each row of a fill: triggers, which would change rows that are as they were,
 * references and indexes. @returns what makes them again, all rows at once; it fails for rows that break one
 */
export async function takeRulesOff(client: Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ off: string; on: string }>(`
    with tables as (select oid from pg_class where relnamespace = 'public'::regnamespace)
    select 1 as step, format('drop trigger %I on %s', tgname, tgrelid::regclass) as off, pg_get_triggerdef(t.oid) as on
    from pg_trigger t join tables on tables.oid = tgrelid where not tgisinternal
    union all
    select 2, format('alter table %s drop constraint %I', conrelid::regclass, conname),
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(c.oid))
    from pg_constraint c join tables on tables.oid = conrelid where contype = 'f'
    union all
    select 3, format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    from pg_index join tables on tables.oid = indrelid
    where not exists (select from pg_constraint where conindid = indexrelid)
    order by step`)
  for (const { off } of rows) await client.query(off)
  return async () => {
    // In the other order: a reference may need an index.
    for (const { on } of rows.reverse()) await client.query(on)
  }
}

/** A table or a sequence for SQL. */
export function named(name: string): string {
  return `public."${name.replaceAll('"', '""')}"`
}
