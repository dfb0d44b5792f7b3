import { planById } from '@pairwire/contract'
import type { InputOf, RowOf } from '@pairwire/contract/operator'
import { eq, ilike, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { accounts, deliveredCounts, streamConnections, subscriptions } from '../database/schema.ts'
import { findWho } from '../people/find-who.ts'
import { billingPeriodOf } from '../standing/billing-period.ts'
import { isInForce, placeOf } from '../standing/plan-in-force.ts'
import type { Store } from '../store.ts'

/** An account in the operator's list. */
type ListedPerson = RowOf<'account list'>
type PersonState = ListedPerson['state']

/** The orders of the list, each the greatest first but emails. */
type PersonSort = NonNullable<InputOf<'account list'>['sort']>

/** Which people to list, in which order, and after which one: the last of the page before. */
export type WantedPeople = Readonly<{
  search?: string | undefined
  /** Null for people without one. */
  plan?: number | null | undefined
  state?: PersonState | undefined
  sort: PersonSort
  after?: Readonly<{ key: string; id: string }> | undefined
  limit: number
}>

/** Milliseconds after which a connection that was not seen counts as closed: its gateway died. */
const UNSEEN_MS = 3 * 60_000

/** Each order by a column that an index has, as text and back. */
const KEYS: Readonly<Record<PersonSort, { column: SQL; type: SQL }>> = {
  seen: { column: sql`coalesce(${accounts.seenAt}, to_timestamp(0))`, type: sql`timestamptz` },
  joined: { column: sql`${accounts.createdAt}`, type: sql`timestamptz` },
  events: { column: sql`${accounts.events30d}`, type: sql`bigint` },
  faults: { column: sql`${accounts.faults24h}`, type: sql`integer` },
  email: { column: sql`${accounts.emailNormalised}`, type: sql`text` },
}

/**
 * Lists accounts: one page in an order, each with the plan that counts. A search finds part of an email, or what `requireWho`
 * takes. Sums of events and faults are some minutes old.
 *
 * @returns the people, and what the next page begins after; undefined at the end
 */
export async function listAccounts(
  store: Store,
  wanted: WantedPeople,
): Promise<{ people: ListedPerson[]; next: WantedPeople['after'] }> {
  const { column, type } = KEYS[wanted.sort]
  const direction = wanted.sort === 'email' ? sql`asc` : sql`desc`
  const beyond = wanted.sort === 'email' ? sql`>` : sql`<`
  const after =
    wanted.after &&
    sql`(${column}, ${accounts.id}) ${beyond} (${wanted.after.key}::${type}, ${wanted.after.id}::uuid)`
  const conditions = [
    await searchOf(store, wanted.search),
    wanted.plan === null
      ? hasNoPlan(store)
      : wanted.plan && counts(store, eq(subscriptions.planId, wanted.plan)),
    stateIs(store, wanted.state),
    after,
  ]
  const isWanted = sql.join(
    conditions.filter((condition) => condition !== undefined),
    sql` and `,
  )
  const page = sql`
    select ${accounts.id}, ${accounts.email}, ${accounts.createdAt}, ${accounts.seenAt}, ${accounts.suspendedAt},
      ${accounts.events30d}, ${accounts.faults24h}, (${column})::text as key
    from ${accounts} where ${conditions.some(Boolean) ? isWanted : sql`true`}
    order by ${column} ${direction}, ${accounts.id} ${direction} limit ${wanted.limit + 1}`
  const now = store.now()
  const seenSince = new Date(now.getTime() - UNSEEN_MS).toISOString()
  const { rows } = await store.db.execute<{ page: FoundPerson[] | null }>(sql`
    select json_agg(found order by place) as page from (
      select page.*, row_number() over () as place, plan.*,
        (select count(*)::int from ${streamConnections} where ${streamConnections.accountId} = page.id
          and ${streamConnections.closedAt} is null and ${streamConnections.seenAt} > ${seenSince}::timestamptz) as open
      from (${page}) page left join lateral (
        select ${subscriptions.id} as plan_in_force, ${subscriptions.kind}, ${subscriptions.state},
          ${subscriptions.planId}, ${subscriptions.connectionLimit}, ${subscriptions.startedAt}, ${subscriptions.endsAt}
        from ${subscriptions} where ${subscriptions.accountId} = page.id and ${isInForce(now)}
        order by ${placeOf(subscriptions.kind)}, ${subscriptions.startedAt} desc, ${subscriptions.id} desc limit 1
      ) plan on true
    ) found`)
  const found = rows[0]?.page ?? []
  const people = found.slice(0, wanted.limit)
  const last = found.length > wanted.limit ? people.at(-1) : undefined
  const used = await readUsed(store, people)
  return {
    people: people.map((row) => toPerson(row, used, now)),
    next: last && { key: last.key, id: last.id },
  }
}

/** A row of the page as JSON. */
type FoundPerson = Readonly<{
  id: string
  email: string
  created_at: string
  seen_at: string | null
  suspended_at: string | null
  events_30d: number
  faults_24h: number
  key: string
  plan_in_force: string | null
  kind: 'trial' | 'paid' | 'grant' | null
  state: 'active' | 'past_due' | 'cancelled' | 'ended' | null
  plan_id: number | null
  connection_limit: number | null
  started_at: string | null
  ends_at: string | null
  open: number
}>

async function searchOf(store: Store, search: string | undefined): Promise<SQL | undefined> {
  const text = search?.trim() ?? ''
  if (text === '') return undefined
  const id = await findWho(store, store.db, text)
  if (id !== undefined) return eq(accounts.id, id)
  const pattern = text
    .replaceAll('\0', '')
    .replace(/[\\%_]/g, '\\$&')
    .normalize('NFC')
    .toLowerCase()
  return ilike(accounts.emailNormalised, `%${pattern}%`)
}

/** Whether a subscription in force, for which `is` holds, is the one that counts. */
function counts(store: Store, is: SQL): SQL {
  const now = store.now()
  const stronger = sql`select 1 from ${subscriptions} stronger where stronger.account_id = ${subscriptions.accountId}
    and stronger.ended_at is null and (stronger.ends_at is null or stronger.ends_at > ${now.toISOString()}::timestamptz)
    and (${placeOf(sql`stronger.kind`)}, ${subscriptions.startedAt}, ${subscriptions.id})
      < (${placeOf(subscriptions.kind)}, stronger.started_at, stronger.id)`
  return sql`exists (select 1 from ${subscriptions} where ${subscriptions.accountId} = ${accounts.id}
    and ${isInForce(now)} and ${is} and not exists (${stronger}))`
}

const hasNoPlan = ({ now }: Store) => sql`not exists (select 1 from ${subscriptions}
  where ${subscriptions.accountId} = ${accounts.id} and ${isInForce(now())})`

function stateIs(store: Store, state: PersonState | undefined): SQL | undefined {
  if (state === undefined) return undefined
  if (state === 'suspended') return isNotNull(accounts.suspendedAt)
  const isFree = isNull(accounts.suspendedAt)
  if (state === 'none') return sql`${isFree} and ${hasNoPlan(store)}`
  const kinds = { trial: eq(subscriptions.kind, 'trial'), granted: eq(subscriptions.kind, 'grant') }
  const is = state === 'trial' || state === 'granted' ? kinds[state] : paidIs(state)
  return sql`${isFree} and ${counts(store, is)}`
}

/** A paid plan in this state; one from before states were kept is active. Without `coalesce`, whose rows no planner can count. */
function paidIs(state: 'active' | 'past_due' | 'cancelled'): SQL {
  return sql`${subscriptions.kind} = 'paid' and (${subscriptions.state} = ${state}
    or ${state === 'active'} and ${subscriptions.state} is null)`
}

/** Swaps sent, by subscription and period. */
async function readUsed({ db }: Store, people: readonly FoundPerson[]): Promise<ReadonlyMap<string, number>> {
  const ids = people.flatMap(({ plan_in_force }) => plan_in_force ?? [])
  if (ids.length === 0) return new Map()
  const { rows } = await db.execute<{ name: string; count: number }>(sql`
    select plan_in_force_id || ' ' || period as name, count::float8 as count from ${deliveredCounts}
    where account_id = any(${sql.param(people.map(({ id }) => id))}::uuid[])
      and plan_in_force_id = any(${sql.param(ids)}::uuid[]) and kind = 'swap'`)
  return new Map(rows.map(({ name, count }) => [name, count]))
}

function toPerson(row: FoundPerson, used: ReadonlyMap<string, number>, now: Date): ListedPerson {
  const plan = row.plan_id === null ? undefined : planById(row.plan_id)
  const cap = plan?.swapEventsPerPeriod
  const period = row.started_at && billingPeriodOf(new Date(row.started_at), now).period
  return {
    id: row.id,
    email: row.email,
    state: stateOf(row),
    plan: plan?.name ?? null,
    planEndsAt: isoOf(row.ends_at),
    connections: row.open,
    connectionLimit: row.connection_limit ?? plan?.connections ?? 0,
    events30d: row.events_30d,
    capShare: cap ? (used.get(`${row.plan_in_force} ${period}`) ?? 0) / cap : null,
    seenAt: isoOf(row.seen_at),
    faults24h: row.faults_24h,
    joinedAt: isoOf(row.created_at)!,
  }
}

function stateOf({ suspended_at, kind, state }: FoundPerson): PersonState {
  if (suspended_at !== null) return 'suspended'
  if (kind === null) return 'none'
  if (kind !== 'paid') return kind === 'grant' ? 'granted' : 'trial'
  return state === null || state === 'ended' ? 'active' : state
}

const isoOf = (moment: string | null) => (moment === null ? null : new Date(moment).toISOString())
