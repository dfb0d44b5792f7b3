import { AppError } from '@pairwire/contract'
import { and, eq, gt, isNull } from 'drizzle-orm'
import { loginTokens } from './schema.ts'
import type { Store } from './store.ts'

/** Uses a login token up: of any number of simultaneous tries one succeeds. See `Accounts.exchangeLoginToken`. */
export async function exchangeLoginToken(store: Store, token: string): Promise<{ accountId: string }> {
  const now = store.now()
  const [used] = await store.db
    .update(loginTokens)
    .set({ usedAt: now })
    .where(
      and(
        eq(loginTokens.tokenHash, store.secrets.hashToken(token)),
        isNull(loginTokens.usedAt),
        gt(loginTokens.expiresAt, now),
      ),
    )
    .returning({ accountId: loginTokens.accountId })
  if (!used) throw new AppError('ERR_LOGIN_REQUIRED')
  await store.barrier()
  return used
}
