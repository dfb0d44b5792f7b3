import { randomBytes } from 'node:crypto'
import { and, desc, eq, gt, ne, notInArray } from 'drizzle-orm'
import { type Actor, withAct } from '../acts/acts.ts'
import { lockAccount } from '../database/lock-account.ts'
import type { Queries } from '../database/open-database.ts'
import { accounts, sessions } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** A session that was just opened. */
export type OpenedSession = Readonly<{ accountId: string; sessionId: string; expiresAt: Date }>

/** Milliseconds for which a session is valid: 30 days. */
export const SESSION_MS = 30 * 24 * 60 * 60_000

/** Sessions per account, so that repeated sign-ins cannot fill the disk; beyond it the oldest end. */
const MOST_SESSIONS = 100

/** Opens a session for an account whose row is locked. The caller commits and waits for the barrier. */
export async function insertSession(
  store: Store,
  queries: Queries,
  accountId: string,
): Promise<OpenedSession> {
  const sessionId = randomBytes(16).toString('base64url')
  const openedAt = store.now()
  const expiresAt = new Date(openedAt.getTime() + SESSION_MS)
  await queries.insert(sessions).values({ id: sessionId, accountId, openedAt, expiresAt })

  const newest = queries
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.accountId, accountId))
    .orderBy(desc(sessions.openedAt))
    .limit(MOST_SESSIONS)
  // The new session stays, whatever the clock said when the others were opened.
  const isOld = and(notInArray(sessions.id, newest), ne(sessions.id, sessionId))
  await queries.delete(sessions).where(and(eq(sessions.accountId, accountId), isOld))
  return { accountId, sessionId, expiresAt }
}

/** Milliseconds to which it is known when somebody was last seen. */
const SEEN_TO_MS = 60_000

/**
 * Finds the session's account; undefined if it has expired, was ended by its owner, or was deleted with its account. With the
 * address of its user, notes now and then that they were seen.
 */
export async function findSession(
  { db, now: readClock }: Store,
  sessionId: string,
  address?: string,
): Promise<string | undefined> {
  const [found] = await db
    .select({ accountId: sessions.accountId, seenAt: sessions.seenAt })
    .from(sessions)
    .where(eq(sessions.id, sessionId))
  const now = readClock()
  if (found && address !== undefined && now.getTime() - (found.seenAt?.getTime() ?? 0) >= SEEN_TO_MS) {
    // Two transactions: one would lock the session before its account, a deletion the other way round.
    await db.update(sessions).set({ seenAt: now, address }).where(eq(sessions.id, sessionId))
    await db
      .update(accounts)
      .set({ seenAt: now, seenAddress: address })
      .where(eq(accounts.id, found.accountId))
  }
  return found?.accountId
}

/** A session as an operator sees it. */
export type OpenSession = Pick<typeof sessions.$inferSelect, 'openedAt' | 'seenAt' | 'address' | 'expiresAt'>

/** Lists the open sessions of an account, the last opened first. */
export async function listSessions({ db, now }: Store, accountId: string): Promise<OpenSession[]> {
  const { openedAt, seenAt, address, expiresAt } = sessions
  return db
    .select({ openedAt, seenAt, address, expiresAt })
    .from(sessions)
    .where(and(eq(sessions.accountId, accountId), gt(expiresAt, now())))
    .orderBy(desc(openedAt))
}

/** Ends a session. */
export async function endSession({ db, barrier }: Store, sessionId: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.id, sessionId))
  await barrier()
}

/** Ends every session, including one that is just being opened. @throws ERR_LOGIN_REQUIRED if the account is gone */
export async function endSessions(store: Store, accountId: string, by?: Actor): Promise<void> {
  await withAct(store, by, async (tx, note) => {
    await lockAccount(tx, accountId)
    const ended = await tx
      .delete(sessions)
      .where(eq(sessions.accountId, accountId))
      .returning({ id: sessions.id })
    note({ accountId, changes: { sessions: [ended.length, 0] } })
  })
}
