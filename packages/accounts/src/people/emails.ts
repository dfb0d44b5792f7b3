import { AppError, Email } from '@pairwire/contract'
import { eq, inArray } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { accounts } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** The email without surrounding blanks and in lower case, so that two spellings of one email are equal. */
export function normaliseEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

/** `email` as it is shown: as typed, without surrounding blanks. @throws ERR_VALIDATION if it is not an email */
export function readEmail(email: string): string {
  const parsed = Email.safeParse(email.trim())
  if (!parsed.success) throw new AppError('ERR_VALIDATION', 'Please enter an email address')
  return parsed.data
}

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

/** The emails of these accounts, by id; those that are gone are missing. */
export async function listEmails({ db }: Store, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: accounts.id, email: accounts.email })
    .from(accounts)
    .where(inArray(accounts.id, [...new Set(ids)]))
  return new Map(rows.map(({ id, email }) => [id, email]))
}
