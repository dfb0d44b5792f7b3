import { AppError } from '@pairwire/contract'
import { commit } from '../commit.ts'
import { lockAccount } from '../database/lock-account.ts'
import { type LoginToken, queueLoginMail } from '../mails/queue-mail.ts'
import type { Store } from '../store.ts'
import { findEmail } from './find-email.ts'
import { insertLoginToken } from './insert-login-token.ts'

/** Queues the mail with a login token, to the address as registered. @throws ERR_LOGIN_REQUIRED for an unknown email */
export async function requestLogin(store: Store, email: string): Promise<LoginToken> {
  return commit(store, async (tx) => {
    const found = await findEmail(tx, email)
    if (!found) throw new AppError('ERR_LOGIN_REQUIRED')
    // Otherwise the token might belong to an account deleted meanwhile.
    await lockAccount(tx, found.accountId)
    const made = await insertLoginToken(store, tx, found)
    await queueLoginMail(store, tx, found.accountId, 'login', made)
    return made
  })
}
