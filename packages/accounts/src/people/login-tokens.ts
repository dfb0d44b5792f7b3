import { randomBytes } from 'node:crypto'
import { AppError } from '@pairwire/contract'
import { and, eq, gt, isNull } from 'drizzle-orm'
import { lockAccount } from '../database/lock-account.ts'
import type { Queries } from '../database/open-database.ts'
import { loginTokens } from '../database/schema.ts'
import { type LoginToken, queueLoginMail } from '../mails/queue-mail.ts'
import { commit, type Store } from '../store.ts'
import { findEmail } from './emails.ts'
import { insertSession, type OpenedSession } from './sessions.ts'

/** Milliseconds for which a mailed link works: 15 minutes. */
export const LOGIN_TOKEN_MS = 15 * 60_000

/** Whether a mailed link is recent enough to work, used or not. @throws ERR_LOGIN_REQUIRED for an unknown email */
export async function findLogin({ db, now }: Store, email: string): Promise<{ hasFreshLink: boolean }> {
  const found = await findEmail(db, email)
  if (!found) throw new AppError('ERR_LOGIN_REQUIRED')
  const [fresh] = await db
    .select({ expiresAt: loginTokens.expiresAt })
    .from(loginTokens)
    .where(and(eq(loginTokens.accountId, found.accountId), gt(loginTokens.expiresAt, now())))
    .limit(1)
  return { hasFreshLink: fresh !== undefined }
}

/** Queues the mail with a login token, to the address as registered. @throws ERR_LOGIN_REQUIRED for an unknown email */
export async function requestLogin(store: Store, email: string): Promise<LoginToken> {
  return commit(store, async (tx) => {
    const found = await findEmail(tx, email)
    if (!found) throw new AppError('ERR_LOGIN_REQUIRED')
    // Otherwise the token might belong to an account deleted meanwhile.
    await lockAccount(tx, found.accountId)
    const made = await insertLoginToken(store, tx, found)
    await queueLoginMail(store, tx, found.accountId, 'login', made)
    return made
  })
}

/**
 * Consumes a login token and opens a session, both or neither: of any number of simultaneous attempts one succeeds.
 *
 * @throws ERR_LOGIN_REQUIRED if the token is unknown, used or too old
 */
export async function exchangeLoginToken(store: Store, token: string): Promise<OpenedSession> {
  return commit(store, async (tx) => {
    const now = store.now()
    const isGood = and(
      eq(loginTokens.tokenHash, store.secrets.hashToken(token)),
      isNull(loginTokens.usedAt),
      gt(loginTokens.expiresAt, now),
    )
    const [found] = await tx.select({ accountId: loginTokens.accountId }).from(loginTokens).where(isGood)
    if (!found) throw new AppError('ERR_LOGIN_REQUIRED')

    // Locked before the token's row, as in a deletion: the other order could deadlock.
    await lockAccount(tx, found.accountId)
    const used = await tx
      .update(loginTokens)
      .set({ usedAt: now })
      .where(isGood)
      .returning({ accountId: loginTokens.accountId })
    if (used.length === 0) throw new AppError('ERR_LOGIN_REQUIRED')
    return insertSession(store, tx, found.accountId)
  })
}

/** A new token for the account, stored as its keyed hash only. */
export async function insertLoginToken(
  store: Store,
  queries: Queries,
  { accountId, email }: { accountId: string; email: string },
): Promise<LoginToken> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(store.now().getTime() + LOGIN_TOKEN_MS)
  await queries
    .insert(loginTokens)
    .values({ tokenHash: store.secrets.hashToken(token), accountId, expiresAt })
  return { email, token, expiresAt }
}
