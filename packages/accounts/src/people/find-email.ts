import { eq } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { accounts } from '../database/schema.ts'
import { normaliseEmail } from './normalise-email.ts'

/** Finds the account with this email in any spelling, and the email as typed at registration. */
export async function findEmail(
  queries: Queries,
  email: string,
): Promise<{ accountId: string; email: string } | undefined> {
  // PostgreSQL refuses a text with a NUL, and no account has one.
  if (email.includes('\0')) return undefined
  const [found] = await queries
    .select({ accountId: accounts.id, email: accounts.email })
    .from(accounts)
    .where(eq(accounts.emailNormalised, normaliseEmail(email)))
  return found
}
