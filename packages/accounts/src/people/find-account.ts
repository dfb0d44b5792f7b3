import { type Account, AppError } from '@pairwire/contract'
import type { Store } from '../store.ts'
import { requireWho } from './find-who.ts'
import { readAccount } from './read-account.ts'

/** An account with the id that the other verbs take. */
export type FoundAccount = { accountId: string; account: Account }

/** Finds an account by what an operator has of it, see `requireWho`. @throws ERR_NOT_FOUND */
export async function findAccount(store: Store, who: string): Promise<FoundAccount> {
  const accountId = await requireWho(store, store.db, who)
  const account = await readAccount(store, store.db, accountId)
  if (!account) throw new AppError('ERR_NOT_FOUND', 'There is no account with this email.')
  return { accountId, account }
}
