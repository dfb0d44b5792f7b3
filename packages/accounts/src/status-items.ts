import { AppError } from '@pairwire/contract'
import { and, desc, eq, gt, isNull, lte, or, sql } from 'drizzle-orm'
import { type Actor, withAct } from './acts/acts.ts'
import type { Queries } from './database/open-database.ts'
import { statusItems } from './database/schema.ts'
import type { Store } from './store.ts'

/** A notice by the operator, current, planned or taken down. */
export type StatusNotice = Readonly<typeof statusItems.$inferSelect>

/** When a notice is shown: at once and until it is taken down, unless these say otherwise. */
type NoticeSpan = Readonly<{ startsAt?: Date | undefined; endsAt?: Date | undefined; by?: Actor | undefined }>

/** Characters of a notice; it must fit into a banner. */
const DETAILS_MAX = 1_000

/** Puts a notice into the status banner. @throws ERR_VALIDATION */
export async function addStatus(store: Store, details: string, span: NoticeSpan = {}): Promise<void> {
  const { startsAt = null, endsAt = null, by } = span
  checkNotice(store, details, startsAt, endsAt)
  await withAct(store, by, async (tx, note) => {
    await tx.insert(statusItems).values({ details, createdAt: store.now(), startsAt, endsAt })
    note({ changes: { notice: [null, details] } })
  })
}

/** Removes all notices from the banner, or that with a number. @throws ERR_NOT_FOUND if none has it */
export async function clearStatus(store: Store, id?: number, by?: Actor): Promise<void> {
  await withAct(store, by, async (tx, note) => {
    const isWanted = id === undefined ? eq(statusItems.kind, 'notice') : eq(statusItems.id, id)
    const cleared = await tx
      .update(statusItems)
      .set({ clearedAt: store.now() })
      .where(and(isWanted, isNull(statusItems.clearedAt)))
      .returning({ details: statusItems.details })
    if (id !== undefined && cleared.length === 0) {
      throw new AppError('ERR_NOT_FOUND', `There is no notice ${id} to remove.`)
    }
    if (cleared.length > 0) note({ changes: { notices: [cleared.map(({ details }) => details), []] } })
  })
}

/** Begins maintenance, which replaces one that stands. @throws ERR_VALIDATION */
export async function beginMaintenance(
  store: Store,
  details: string,
  { endsAt, by }: Pick<NoticeSpan, 'endsAt' | 'by'> = {},
): Promise<void> {
  checkNotice(store, details, null, endsAt ?? null)
  await withAct(store, by, async (tx, note) => {
    await tx.execute(sql`lock table ${statusItems} in share row exclusive mode`)
    await tx.update(statusItems).set({ clearedAt: store.now() }).where(isMaintenance)
    await tx.insert(statusItems).values({ kind: 'maintenance', details, createdAt: store.now(), endsAt })
    note({ changes: { maintenance: ['off', details] } })
  })
}

/** Ends maintenance, if it is on. */
export async function endMaintenance(store: Store, by?: Actor): Promise<void> {
  await withAct(store, by, async (tx, note) => {
    const ended = await tx
      .update(statusItems)
      .set({ clearedAt: store.now() })
      .where(isMaintenance)
      .returning({ id: statusItems.id })
    if (ended.length > 0) note({ changes: { maintenance: ['on', 'off'] } })
  })
}

const isMaintenance = and(eq(statusItems.kind, 'maintenance'), isNull(statusItems.clearedAt))

function checkNotice(store: Store, details: string, startsAt: Date | null, endsAt: Date | null): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
  if (details.trim() === '' || details.length > DETAILS_MAX || /[\x00-\x1f\x7f]/.test(details)) {
    throw new AppError('ERR_VALIDATION', `A notice is one line of 1 to ${DETAILS_MAX} characters.`)
  }
  if (endsAt && endsAt <= (startsAt ?? store.now())) {
    throw new AppError('ERR_VALIDATION', 'A notice ends after it begins, and in the future.')
  }
}

/** Milliseconds for which a notice is kept after it was taken down. */
const REMEMBERED_MS = 90 * 24 * 60 * 60_000

/** Notices that are listed at most. */
const LISTED = 100

/** Lists notices of the last 90 days, including those taken down and planned, newest first, 100 at most. */
export async function listNotices({ db, now }: Store): Promise<StatusNotice[]> {
  const oldest = new Date(now().getTime() - REMEMBERED_MS)
  return db
    .select()
    .from(statusItems)
    .where(
      and(
        or(isNull(statusItems.clearedAt), gt(statusItems.clearedAt, oldest)),
        or(isNull(statusItems.endsAt), gt(statusItems.endsAt, oldest)),
      ),
    )
    .orderBy(desc(statusItems.id))
    .limit(LISTED)
}

/** Deletes notices that were over 90 days ago. */
export async function sweepNotices(db: Queries, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - REMEMBERED_MS)
  await db.delete(statusItems).where(or(lte(statusItems.clearedAt, oldest), lte(statusItems.endsAt, oldest)))
}
