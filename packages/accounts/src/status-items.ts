import { AppError } from '@pairwire/contract'
import { desc } from 'drizzle-orm'
import { statusItems } from './schema.ts'
import type { Store } from './store.ts'

/** Characters of a notice; it has to fit into a banner. */
const DETAILS_MAX = 1_000

/** See `Accounts.listStatus`. */
export async function listStatus({ db }: Store): Promise<{ Details: string }[]> {
  const rows = await db
    .select({ details: statusItems.details })
    .from(statusItems)
    .orderBy(desc(statusItems.id))
  return rows.map(({ details }) => ({ Details: details }))
}

/** See `Accounts.addStatus`. */
export async function addStatus({ db, now }: Store, details: string): Promise<void> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (details.trim() === '' || details.length > DETAILS_MAX || /[\x00-\x1f\x7f]/.test(details)) {
    throw new AppError('ERR_VALIDATION', `A notice is one line of 1 to ${DETAILS_MAX} characters.`)
  }
  await db.insert(statusItems).values({ details, createdAt: now() })
}

/** See `Accounts.clearStatus`. */
export async function clearStatus({ db }: Store): Promise<void> {
  await db.delete(statusItems)
}
