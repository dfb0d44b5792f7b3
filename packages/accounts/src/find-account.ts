import { type Account, AppError } from '@pairwire/contract'
import { eq } from 'drizzle-orm'
import { normaliseEmail } from './normalise-email.ts'
import type { Queries } from './open-database.ts'
import { readAccount } from './read-account.ts'
import { accounts } from './schema.ts'
import type { Store } from './store.ts'

/** An account with the id by which the other verbs know it. */
export type FoundAccount = { accountId: string; account: Account }

/** See `Accounts.findAccount`. */
export async function findAccount(store: Store, email: string): Promise<FoundAccount> {
  return store.db.transaction(async (tx) => {
    const accountId = await findAccountId(tx, email)
    const account = await readAccount(store, tx, accountId)
    if (!account) throw unknownEmail()
    return { accountId, account }
  })
}

/** Id of the account with this email. @throws ERR_NOT_FOUND */
export async function findAccountId(queries: Queries, email: string): Promise<string> {
  const [row] = await queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.emailNormalised, normaliseEmail(email)))
  if (!row) throw unknownEmail()
  return row.id
}

function unknownEmail(): AppError {
  return new AppError('ERR_NOT_FOUND', 'There is no account with this email.')
}
