import { and, asc, eq, gt, inArray, lte, min, or, sql } from 'drizzle-orm'
import { mails } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { GIVEN_UP, LONGEST_PAUSE_MS } from './note-mail.ts'
import { AWAITED_TEMPLATES, openLetter, type QueuedMail } from './queue-mail.ts'

/** The result of {@link Accounts.takeDueMails}. */
export type DueMails = Readonly<{
  mails: readonly QueuedMail[]
  /** How many were just given up: their time was up, or they cannot be read. */
  givenUp: number
  /** When the next of the others is due; null if none waits. */
  nextTryAt: Date | null
}>

/** Milliseconds for which a taken mail belongs to the process that took it; after a crash it is tried again then. */
export const MAIL_LEASE_MS = 30_000

/**
 * Takes up to `limit` due mails, the longest due first, for {@link MAIL_LEASE_MS}: until then no other process takes them.
 * Gives up those whose time is up.
 */
export async function takeDueMails(store: Store, limit: number): Promise<DueMails> {
  const now = store.now()
  const queued = eq(mails.state, 'queued')
  const isDue = or(lte(mails.nextTryAt, now), isBeyondReason(now))
  const late = await store.db
    .update(mails)
    .set({ ...GIVEN_UP, nextTryAt: now })
    // A mail that is being tried has its own deadline.
    .where(and(queued, lte(mails.givesUpAt, now), lte(mails.nextTryAt, now)))
    .returning({ id: mails.id })

  // Skips mails that another process is taking right now.
  const due = store.db
    .select({ id: mails.id })
    .from(mails)
    .where(and(queued, isDue))
    .orderBy(asc(mails.nextTryAt))
    .limit(limit)
    .for('update', { skipLocked: true })
  const taken = await store.db
    .update(mails)
    .set({ nextTryAt: leaseEnd(now), attempts: sql`${mails.attempts} + 1` })
    .where(inArray(mails.id, due))
    .returning({
      id: mails.id,
      to: sql<string>`coalesce(${mails.receiver}, (select email from accounts where accounts.id = ${mails.accountId}))`,
      letterSealed: mails.letterSealed,
      createdAt: mails.createdAt,
      attempt: mails.attempts,
    })

  const readable: QueuedMail[] = []
  const unreadable: string[] = []
  for (const { letterSealed, ...mail } of taken) {
    const letter = openLetter(store, letterSealed, mail.id)
    if (letter) readable.push({ ...mail, letter })
    else unreadable.push(mail.id)
  }
  if (unreadable.length > 0) {
    await store.db
      .update(mails)
      .set({ state: 'given_up', letterSealed: null })
      .where(inArray(mails.id, unreadable))
  }

  const [next] = await store.db
    .select({ at: min(mails.nextTryAt) })
    .from(mails)
    .where(queued)
  return { mails: readable, givenUp: late.length + unreadable.length, nextTryAt: next?.at ?? null }
}

/** Extends the lease of taken mails by another {@link MAIL_LEASE_MS}. */
export async function holdMails({ db, now }: Store, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .update(mails)
    .set({ nextTryAt: leaseEnd(now()) })
    .where(and(inArray(mails.id, [...ids]), eq(mails.state, 'queued')))
}

/** Milliseconds by which the clocks of two processes may differ: neither takes a mail that the other has in flight. */
const CLOCKS_DIFFER_MS = 60_000

/** Matches mails whose next attempt is later than any pause: the clock was set back, and they would wait too long. */
function isBeyondReason(now: Date) {
  const after = (pauseMs: number) => new Date(now.getTime() + pauseMs + CLOCKS_DIFFER_MS)
  const isForLogin = inArray(mails.template, [...AWAITED_TEMPLATES])
  return or(
    and(isForLogin, gt(mails.nextTryAt, after(MAIL_LEASE_MS))),
    gt(mails.nextTryAt, after(LONGEST_PAUSE_MS)),
  )
}

function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + MAIL_LEASE_MS)
}
