import { randomBytes } from 'node:crypto'
import { and, desc, eq, ne, notInArray } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { sessions } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { lockAccount } from './lock-account.ts'

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

/** Finds the session's account; undefined if it has expired, was ended by its owner, or was deleted with its account. */
export async function findSession({ db }: Store, sessionId: string): Promise<string | undefined> {
  const [found] = await db
    .select({ accountId: sessions.accountId })
    .from(sessions)
    .where(eq(sessions.id, sessionId))
  return found?.accountId
}

/** Ends a session. */
export async function endSession({ db, barrier }: Store, sessionId: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.id, sessionId))
  await barrier()
}

/** Ends every session, including one that is just being opened. @throws ERR_LOGIN_REQUIRED if the account is gone */
export async function endSessions({ db, barrier }: Store, accountId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    await tx.delete(sessions).where(eq(sessions.accountId, accountId))
  })
  await barrier()
}
