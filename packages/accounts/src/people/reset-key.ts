import { type Account, AppError } from '@pairwire/contract'
import { eq } from 'drizzle-orm'
import { type Actor, withAct } from '../acts/acts.ts'
import { lockAccount } from '../database/lock-account.ts'
import { accounts } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { createApiKey } from './create-account.ts'
import { readAccount } from './read-account.ts'

/**
 * Replaces the account's key with a fresh one; the old one is unknown from then on.
 *
 * @throws ERR_LOGIN_REQUIRED if the account is gone
 */
export async function resetKey(store: Store, accountId: string, by?: Actor): Promise<Account> {
  const key = createApiKey()
  const { secrets } = store

  const account = await withAct(store, by, async (tx, note) => {
    await lockAccount(tx, accountId)
    note({ accountId })
    await tx
      .update(accounts)
      .set({ keyHash: secrets.hashKey(key), keySealed: secrets.keys.seal(key, accountId) })
      .where(eq(accounts.id, accountId))
    return readAccount(store, tx, accountId)
  })
  if (!account) throw new AppError('ERR_LOGIN_REQUIRED')
  return account
}
