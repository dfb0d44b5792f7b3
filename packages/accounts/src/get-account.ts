import { type Account, AppError } from '@pairwire/contract'
import { readAccount } from './read-account.ts'
import type { Store } from './store.ts'

/** See `Accounts.getAccount`. */
export async function getAccount(store: Store, accountId: string): Promise<Account> {
  const account = await readAccount(store, store.db, accountId)
  if (!account) throw new AppError('ERR_LOGIN_REQUIRED')
  return account
}
