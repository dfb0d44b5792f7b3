import { AppError, type Origin } from '@pairwire/contract'
import { insertAccount } from './insert-account.ts'
import { insertLoginToken } from './insert-login-token.ts'
import { readEmail } from './normalise-email.ts'
import { type LoginToken, queueLoginMail } from './queue-mail.ts'
import type { Store } from './store.ts'

/** Makes an account, its first login token and the mail that brings it: all or none. See `Accounts.register`. */
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
    const loginToken = await insertLoginToken(store, tx, { accountId, email })
    await queueLoginMail(store, tx, accountId, 'welcome', loginToken)
    return loginToken
  })
  await store.barrier()
  store.announceMail()
  return loginToken
}
