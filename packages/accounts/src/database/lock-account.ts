import { AppError } from '@pairwire/contract'
import { eq } from 'drizzle-orm'
import { isAccountId } from './account-id.ts'
import type { Queries } from './open-database.ts'
import { accounts } from './schema.ts'

/**
 * Locks the account's row until the transaction ends, so that changes of one account happen one after
 * another. @throws ERR_LOGIN_REQUIRED when it is gone
 */
export async function lockAccount(queries: Queries, accountId: string): Promise<{ emailNormalised: string }> {
  const account = await lockAccountIfThere(queries, accountId)
  if (!account) throw new AppError('ERR_LOGIN_REQUIRED')
  return account
}

/** The same, but without an error for an account that is gone. */
export async function lockAccountIfThere(
  queries: Queries,
  accountId: string,
): Promise<{ emailNormalised: string } | undefined> {
  if (!isAccountId(accountId)) return undefined
  const [account] = await queries
    .select({ emailNormalised: accounts.emailNormalised })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for('update')
  return account
}
