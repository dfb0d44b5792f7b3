import { type Account, AppError } from '@pairwire/contract'
import type { Store } from '../store.ts'
import { readAccount } from './read-account.ts'

/** Reads the account as its owner sees it. @throws ERR_LOGIN_REQUIRED when it is gone */
export async function getAccount(store: Store, accountId: string): Promise<Account> {
  const account = await readAccount(store, store.db, accountId)
  if (!account) throw new AppError('ERR_LOGIN_REQUIRED')
  return account
}
