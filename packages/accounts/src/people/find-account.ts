import { type Account, AppError } from '@pairwire/contract'
import type { Queries } from '../database/open-database.ts'
import type { Store } from '../store.ts'
import { findEmail } from './find-email.ts'
import { readAccount } from './read-account.ts'

/** An account with the id that the other verbs take. */
export type FoundAccount = { accountId: string; account: Account }

/** Finds the account with this email, for the operator. @throws ERR_NOT_FOUND */
export async function findAccount(store: Store, email: string): Promise<FoundAccount> {
  const accountId = await requireAccountId(store.db, email)
  const account = await readAccount(store, store.db, accountId)
  if (!account) throw unknownEmail()
  return { accountId, account }
}

/** Id of the account with this email. @throws ERR_NOT_FOUND */
export async function requireAccountId(queries: Queries, email: string): Promise<string> {
  const found = await findEmail(queries, email)
  if (!found) throw unknownEmail()
  return found.accountId
}

function unknownEmail(): AppError {
  return new AppError('ERR_NOT_FOUND', 'There is no account with this email.')
}
