import { eq } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { accounts } from '../database/schema.ts'
import { normaliseEmail } from './normalise-email.ts'

/** The account with this email, however it is spelled, and the email as it was typed at registration. */
export async function findEmail(
  queries: Queries,
  email: string,
): Promise<{ accountId: string; email: string } | undefined> {
  // PostgreSQL refuses a text that holds NUL, and no account has one.
  if (email.includes('\0')) return undefined
  const [found] = await queries
    .select({ accountId: accounts.id, email: accounts.email })
    .from(accounts)
    .where(eq(accounts.emailNormalised, normaliseEmail(email)))
  return found
}
