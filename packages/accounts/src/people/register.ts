import { AppError, type Origin } from '@pairwire/contract'
import { commit } from '../commit.ts'
import { type LoginToken, queueLoginMail } from '../mails/queue-mail.ts'
import type { Store } from '../store.ts'
import { insertAccount } from './insert-account.ts'
import { insertLoginToken } from './insert-login-token.ts'
import { readEmail } from './normalise-email.ts'

/**
 * Creates an account with a fresh key, its first login token and the welcome mail: all or nothing.
 *
 * @throws ERR_CONFLICT, BLOCKED_EMAIL_DOMAIN
 */
export async function register(
  store: Store,
  person: { email: string; origin: Origin; enableMarketingEmails: boolean },
): Promise<LoginToken> {
  const email = readEmail(person.email)
  if (store.isBlockedEmail(email)) throw new AppError('BLOCKED_EMAIL_DOMAIN')

  return commit(store, async (tx) => {
    const accountId = await insertAccount(store, tx, { ...person, email })
    const loginToken = await insertLoginToken(store, tx, { accountId, email })
    await queueLoginMail(store, tx, accountId, 'welcome', loginToken)
    return loginToken
  })
}
