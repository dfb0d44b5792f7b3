import { randomBytes, randomUUID } from 'node:crypto'
import { AppError, type Origin } from '@pairwire/contract'
import { type Actor, withAct } from '../acts/acts.ts'
import type { Queries } from '../database/open-database.ts'
import { accounts } from '../database/schema.ts'
import { type LoginToken, queueLoginMail } from '../mails/queue-mail.ts'
import { commit, type Store } from '../store.ts'
import { normaliseEmail, readEmail } from './emails.ts'
import { type FoundAccount, findAccount } from './find-who.ts'
import { insertLoginToken } from './login-tokens.ts'

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

/** A row for a new account with a fresh key. @returns its id @throws ERR_CONFLICT when the email is known */
async function insertAccount(
  store: Store,
  queries: Queries,
  person: { email: string; origin: Origin | null; enableMarketingEmails: boolean },
): Promise<string> {
  const id = randomUUID()
  const key = createApiKey()
  const inserted = await queries
    .insert(accounts)
    .values({
      ...{ id, email: person.email, emailNormalised: normaliseEmail(person.email), createdAt: store.now() },
      ...{ origin: person.origin, marketingEmails: person.enableMarketingEmails },
      ...{ keyHash: store.secrets.hashKey(key), keySealed: store.secrets.keys.seal(key, id) },
    })
    .onConflictDoNothing({ target: accounts.emailNormalised })
    .returning({ id: accounts.id })
  if (inserted.length === 0) throw new AppError('ERR_CONFLICT')
  return id
}

/** A new API key: 16 random bytes as 32 lower-case hexadecimal characters, a form that clients check. */
export function createApiKey(): string {
  return randomBytes(16).toString('hex')
}
