import { AppError } from '@pairwire/contract'
import { desc, gt, isNull, lte, or } from 'drizzle-orm'
import type { Queries } from './database/open-database.ts'
import { statusItems } from './database/schema.ts'
import type { Store } from './store.ts'

/** A notice by the operator, current or taken down. */
export type StatusNotice = Readonly<{ details: string; createdAt: Date; clearedAt: Date | null }>

/** Characters of a notice; it must fit into a banner. */
const DETAILS_MAX = 1_000

/** Puts a notice into the status banner. @throws ERR_VALIDATION */
export async function addStatus({ db, now }: Store, details: string): Promise<void> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
  if (details.trim() === '' || details.length > DETAILS_MAX || /[\x00-\x1f\x7f]/.test(details)) {
    throw new AppError('ERR_VALIDATION', `A notice is one line of 1 to ${DETAILS_MAX} characters.`)
  }
  await db.insert(statusItems).values({ details, createdAt: now() })
}

/** Removes all notices from the banner. */
export async function clearStatus({ db, now }: Store): Promise<void> {
  await db.update(statusItems).set({ clearedAt: now() }).where(isNull(statusItems.clearedAt))
}

/** Milliseconds for which a notice is kept after it was taken down. */
const REMEMBERED_MS = 90 * 24 * 60 * 60_000

/** Notices that are listed at most. */
const LISTED = 100

/** Lists notices of the last 90 days, including those taken down, newest first, 100 at most. */
export async function listNotices({ db, now }: Store): Promise<StatusNotice[]> {
  const oldest = new Date(now().getTime() - REMEMBERED_MS)
  return db
    .select({
      details: statusItems.details,
      createdAt: statusItems.createdAt,
      clearedAt: statusItems.clearedAt,
    })
    .from(statusItems)
    .where(or(isNull(statusItems.clearedAt), gt(statusItems.clearedAt, oldest)))
    .orderBy(desc(statusItems.id))
    .limit(LISTED)
}

/** Deletes notices that were taken down 90 days ago. */
export async function sweepNotices(db: Queries, now: Date): Promise<void> {
  await db.delete(statusItems).where(lte(statusItems.clearedAt, new Date(now.getTime() - REMEMBERED_MS)))
}
