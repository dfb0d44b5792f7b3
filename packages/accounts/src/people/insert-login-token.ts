import { randomBytes } from 'node:crypto'
import type { Queries } from '../database/open-database.ts'
import { loginTokens } from '../database/schema.ts'
import type { LoginToken } from '../mails/queue-mail.ts'
import type { Store } from '../store.ts'

/** Milliseconds for which a mailed link works: 15 minutes. */
export const LOGIN_TOKEN_MS = 15 * 60_000

/** A new token for the account, stored as its keyed hash only. */
export async function insertLoginToken(
  store: Store,
  queries: Queries,
  { accountId, email }: { accountId: string; email: string },
): Promise<LoginToken> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(store.now().getTime() + LOGIN_TOKEN_MS)
  await queries
    .insert(loginTokens)
    .values({ tokenHash: store.secrets.hashToken(token), accountId, expiresAt })
  return { email, token, expiresAt }
}
