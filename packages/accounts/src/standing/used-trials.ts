import { inArray } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { usedTrials } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { personOfEmail } from './person-of-email.ts'

/** Whether the person of this email had the trial, with any account. */
export async function hasUsedTrial(
  { secrets }: Store,
  queries: Queries,
  emailNormalised: string,
): Promise<boolean> {
  // Trials from before tags were read are recorded under the email as typed.
  const hashes = [personOfEmail(emailNormalised), emailNormalised].map(secrets.hashEmail)
  const used = await queries
    .select({ usedAt: usedTrials.usedAt })
    .from(usedTrials)
    .where(inArray(usedTrials.emailHash, hashes))
  return used.length > 0
}

/** Records that the person of this email has the trial; false if it was recorded before, even by a concurrent call. */
export async function rememberTrial(
  { secrets, now }: Store,
  queries: Queries,
  emailNormalised: string,
): Promise<boolean> {
  const first = await queries
    .insert(usedTrials)
    .values({ emailHash: secrets.hashEmail(personOfEmail(emailNormalised)), usedAt: now() })
    .onConflictDoNothing()
    .returning({ usedAt: usedTrials.usedAt })
  return first.length > 0
}
