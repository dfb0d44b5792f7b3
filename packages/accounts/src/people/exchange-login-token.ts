import { AppError } from '@pairwire/contract'
import { and, eq, gt, isNull } from 'drizzle-orm'
import { commit } from '../commit.ts'
import { lockAccount } from '../database/lock-account.ts'
import { loginTokens } from '../database/schema.ts'
import type { Store } from '../store.ts'
import type { OpenedSession } from './sessions.ts'
import { insertSession } from './sessions.ts'

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
