import { eq } from 'drizzle-orm'
import { normaliseEmail } from './normalise-email.ts'
import type { Queries } from './open-database.ts'
import { accounts } from './schema.ts'

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
