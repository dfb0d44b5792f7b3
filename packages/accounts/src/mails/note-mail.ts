import { MINUTE_MS } from '@pairwire/contract'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { mails } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { AWAITED_TEMPLATES } from './queue-mail.ts'

/** Records that the mail server accepted it, and deletes its content. */
export async function noteMailSent({ db, barrier, now }: Store, id: string): Promise<void> {
  await db.update(mails).set({ state: 'sent', sentAt: now(), letterSealed: null }).where(eq(mails.id, id))
  await barrier()
}

const SECOND_MS = 1_000
/** Milliseconds from each failed attempt at a notice to the next; the last one repeats. */
const NOTICE_PAUSES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS]

/** The same for a mail that somebody waits for, whose link works for minutes. */
const LOGIN_PAUSES_MS = [5 * SECOND_MS, 10 * SECOND_MS, 20 * SECOND_MS, 30 * SECOND_MS]

/** The longest of those pauses. */
export const LONGEST_PAUSE_MS = 60 * MINUTE_MS

/** A mail is given up: what somebody waited for is of no use then, other mails can be tried again by an operator. */
export const GIVEN_UP = {
  state: 'given_up' as const,
  letterSealed: sql<null>`case when ${inArray(mails.template, [...AWAITED_TEMPLATES])} then null else ${mails.letterSealed} end`,
}

/**
 * Delays the mail until its next attempt, or gives it up if there will be none: `isFinal` if the mail server refuses it
 * permanently.
 */
export async function noteMailFailed(
  { db, now: readClock }: Store,
  id: string,
  isFinal: boolean,
): Promise<'queued' | 'given_up'> {
  return db.transaction(async (tx) => {
    const ofMail = and(eq(mails.id, id), eq(mails.state, 'queued'))
    const [mail] = await tx.select().from(mails).where(ofMail).for('update')
    // Deleted with its account, or sent by another process meanwhile.
    if (!mail) return 'given_up'

    const pauses = AWAITED_TEMPLATES.some((template) => template === mail.template)
      ? LOGIN_PAUSES_MS
      : NOTICE_PAUSES_MS
    const pauseMs = pauses[Math.min(mail.attempts, pauses.length) - 1] ?? 0
    const nextTryAt = new Date(readClock().getTime() + pauseMs)
    if (isFinal || nextTryAt >= mail.givesUpAt) {
      await tx.update(mails).set(GIVEN_UP).where(ofMail)
      return 'given_up'
    }
    await tx.update(mails).set({ nextTryAt }).where(ofMail)
    return 'queued'
  })
}
