import { randomUUID } from 'node:crypto'
import { AppError, type Origin } from '@pairwire/contract'
import type { Queries } from '../database/open-database.ts'
import { accounts } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { createApiKey } from './api-key.ts'
import { normaliseEmail } from './normalise-email.ts'

/** A row for a new account with a fresh key. @returns its id @throws ERR_CONFLICT when the email is known */
export async function insertAccount(
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
