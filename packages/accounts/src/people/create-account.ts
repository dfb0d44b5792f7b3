import type { Store } from '../store.ts'
import { type FoundAccount, findAccount } from './find-account.ts'
import { insertAccount } from './insert-account.ts'
import { readEmail } from './normalise-email.ts'

/** Creates an account for the operator, of any domain and without a login token. @throws ERR_CONFLICT */
export async function createAccount(store: Store, email: string): Promise<FoundAccount> {
  const typed = readEmail(email)
  await insertAccount(store, store.db, { email: typed, origin: null, enableMarketingEmails: false })
  await store.barrier()
  return findAccount(store, typed)
}
