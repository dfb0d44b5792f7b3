import { and, desc, eq, gte, lt, lte } from 'drizzle-orm'
import { isAccountId } from '../database/account-id.ts'
import type { Queries } from '../database/open-database.ts'
import { acts } from '../database/schema.ts'
import { type Act, commit, type Store } from '../store.ts'

/** Who runs a verb of the operator's, by which way, and which. */
export type Actor = Readonly<{
  actor: string
  via: 'room' | 'tool' | 'token'
  /** Where the call came from; null for the tool. */
  address: string | null
  verb: string
}>

/** What an actor did. `changes` has each changed thing before and after; never a key, token or email. */
export type ActNote = Readonly<{
  accountId?: string | null
  reason?: string | undefined
  changes?: Readonly<Record<string, unknown>>
  /** `done` unless given. `asked` before an effect outside of the database, which another act ends. */
  outcome?: Act['outcome']
}>

/**
 * Makes a change in a transaction, with the act that tells of it: both or neither. Without an actor, as for a customer's own
 * change, there is none. Waits for the disk, then announces the acts, for the log.
 */
export async function withAct<Answer>(
  store: Store,
  by: Actor | undefined,
  change: (tx: Queries, note: (act: ActNote) => void) => Promise<Answer>,
): Promise<Answer> {
  let written: Act[] = []
  const answer = await commit(store, async (tx) => {
    const noted: ActNote[] = []
    const answer = await change(tx, (act) => void noted.push(act))
    written = by ? await insertActs(store, tx, by, noted) : []
    return answer
  })
  for (const act of written) store.announceAct(act)
  return answer
}

/** Records an act whose effect is outside of the database, or an export. */
export async function noteAct(store: Store, by: Actor, act: ActNote): Promise<void> {
  await withAct(store, by, async (_tx, note) => note(act))
}

async function insertActs(store: Store, tx: Queries, by: Actor, noted: readonly ActNote[]): Promise<Act[]> {
  const at = store.now()
  const rows = noted.map(({ accountId = null, reason, changes = {}, outcome = 'done' }) => {
    return { ...by, at, accountId, reason: reason ?? null, changes, outcome }
  })
  if (rows.length > 0) await tx.insert(acts).values(rows)
  return rows
}

/** Lists acts, newest first: of one account if it is given, and since a moment. `before` is an act's number. */
export async function listActs(
  { db }: Store,
  wanted: Readonly<{ accountId?: string | undefined; since?: Date | undefined; before?: number | undefined }>,
  limit: number,
): Promise<(typeof acts.$inferSelect)[]> {
  const { accountId, since, before } = wanted
  if (accountId !== undefined && !isAccountId(accountId)) return []
  return db
    .select()
    .from(acts)
    .where(
      and(
        accountId === undefined ? undefined : eq(acts.accountId, accountId),
        since && gte(acts.at, since),
        before === undefined ? undefined : lt(acts.id, before),
      ),
    )
    .orderBy(desc(acts.id))
    .limit(limit)
}

/** Milliseconds for which acts are kept: two years. */
const KEPT_MS = 2 * 366 * 24 * 60 * 60_000

/** Deletes acts that are older than two years. */
export async function sweepActs(queries: Queries, now: Date): Promise<void> {
  await queries.delete(acts).where(lte(acts.at, new Date(now.getTime() - KEPT_MS)))
}
