import { AppError, type Origin } from '@pairwire/contract'
import type { LoginToken } from './accounts.ts'
import { insertAccount } from './insert-account.ts'
import { insertLoginToken } from './insert-login-token.ts'
import { readEmail } from './normalise-email.ts'
import type { Store } from './store.ts'

/** Makes an account and its first login token, both or none. See `Accounts.register`. */
export async function register(
  store: Store,
  person: { email: string; origin: Origin; enableMarketingEmails: boolean },
): Promise<LoginToken> {
  const email = readEmail(person.email)
  if (store.isBlockedEmail(email)) throw new AppError('BLOCKED_EMAIL_DOMAIN')

  const loginToken = await store.db.transaction(async (tx) => {
    const { origin, enableMarketingEmails } = person
    const accountId = await insertAccount(store, tx, {
      email,
      origin,
      marketingEmails: enableMarketingEmails,
    })
    return insertLoginToken(store, tx, { accountId, email })
  })
  await store.barrier()
  return loginToken
}
