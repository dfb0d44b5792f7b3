import { AppError } from '@pairwire/contract'
import { eq } from 'drizzle-orm'
import type { LoginToken } from './accounts.ts'
import { insertLoginToken } from './insert-login-token.ts'
import { normaliseEmail } from './normalise-email.ts'
import { accounts } from './schema.ts'
import type { Store } from './store.ts'

/** A login token, to be mailed to the address as it was registered. See `Accounts.requestLogin`. */
export async function requestLogin(store: Store, email: string): Promise<LoginToken> {
  return store.db.transaction(async (tx) => {
    const [account] = await tx
      .select({ accountId: accounts.id, email: accounts.email })
      .from(accounts)
      .where(eq(accounts.emailNormalised, normaliseEmail(email)))
      // Held until the token is in, which would otherwise refer to an account deleted meanwhile.
      .for('share')
    if (!account) throw new AppError('ERR_LOGIN_REQUIRED')
    return insertLoginToken(store, tx, account)
  })
}
