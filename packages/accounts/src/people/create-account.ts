import type { Actor } from '../acts/act.ts'
import { withAct } from '../acts/acts.ts'
import { queueLoginMail } from '../mails/queue-mail.ts'
import type { Store } from '../store.ts'
import { type FoundAccount, findAccount } from './find-account.ts'
import { insertAccount } from './insert-account.ts'
import { insertLoginToken } from './insert-login-token.ts'
import { readEmail } from './normalise-email.ts'

/**
 * Creates an account for the operator, of any domain; `isInvited` mails its owner a link that signs in.
 *
 * @throws ERR_CONFLICT
 */
export async function createAccount(
  store: Store,
  email: string,
  by?: Actor,
  { isInvited = false }: Readonly<{ isInvited?: boolean }> = {},
): Promise<FoundAccount> {
  const typed = readEmail(email)
  await withAct(store, by, async (tx, note) => {
    const person = { email: typed, origin: null, enableMarketingEmails: false }
    const accountId = await insertAccount(store, tx, person)
    note({ accountId })
    if (!isInvited) return
    const token = await insertLoginToken(store, tx, { accountId, email: typed })
    await queueLoginMail(store, tx, accountId, 'welcome', token)
  })
  return findAccount(store, typed)
}
