import { type FoundAccount, findAccount } from './find-account.ts'
import { insertAccount } from './insert-account.ts'
import { readEmail } from './normalise-email.ts'
import type { Store } from './store.ts'

/** Makes an account by the operator's word, of any domain and without a login token. See `Accounts.createAccount`. */
export async function createAccount(store: Store, email: string): Promise<FoundAccount> {
  const typed = readEmail(email)
  await insertAccount(store, store.db, { email: typed, origin: null, marketingEmails: false })
  await store.barrier()
  return findAccount(store, typed)
}
