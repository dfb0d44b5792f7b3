import { AppError } from '@pairwire/contract'
import { and, eq, gt, isNull } from 'drizzle-orm'
import { loginTokens } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { lockAccount } from './lock-account.ts'
import type { OpenedSession } from './sessions.ts'
import { insertSession } from './sessions.ts'

/**
 * Uses a login token up and opens a session, both or none: of any number of simultaneous tries one succeeds.
 *
 * @throws ERR_LOGIN_REQUIRED when the token is unknown, used or too old
 */
export async function exchangeLoginToken(store: Store, token: string): Promise<OpenedSession> {
  const session = await store.db.transaction(async (tx) => {
    const now = store.now()
    const isGood = and(
      eq(loginTokens.tokenHash, store.secrets.hashToken(token)),
      isNull(loginTokens.usedAt),
      gt(loginTokens.expiresAt, now),
    )
    const [found] = await tx.select({ accountId: loginTokens.accountId }).from(loginTokens).where(isGood)
    if (!found) throw new AppError('ERR_LOGIN_REQUIRED')

    // Before the token's row, as a deletion takes them: the other order could end with each waiting for the other.
    await lockAccount(tx, found.accountId)
    const used = await tx
      .update(loginTokens)
      .set({ usedAt: now })
      .where(isGood)
      .returning({ accountId: loginTokens.accountId })
    if (used.length === 0) throw new AppError('ERR_LOGIN_REQUIRED')
    return insertSession(store, tx, found.accountId)
  })
  await store.barrier()
  return session
}
