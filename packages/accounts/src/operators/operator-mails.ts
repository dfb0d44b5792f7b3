import { AppError } from '@pairwire/contract'
import { and, desc, eq, getTableColumns, lt, or, sql } from 'drizzle-orm'
import { type Actor, withAct } from '../acts/acts.ts'
import { isAccountId } from '../database/account-id.ts'
import { mails } from '../database/schema.ts'
import { NOTICE_MS, openLetter, queueOperatorMail } from '../mails/queue-mail.ts'
import { MAIL_LEASE_MS } from '../mails/take-due-mails.ts'
import { readEmail } from '../people/emails.ts'
import { type Store, wakeMails } from '../store.ts'

/** Which mails: given up ones only, of an account, and those before the last one of a page. */
export type WantedMails = Readonly<{
  /** This one only. */
  id?: string | undefined
  givenUp?: boolean | undefined
  accountId?: string | undefined
  before?: Readonly<{ at: Date; id: string }> | undefined
}>

const { letterSealed: _letter, occasion: _occasion, receiver: _receiver, ...SHOWN } = getTableColumns(mails)

/** Lists mails of the last 90 days with what became of them, newest first, without their content. */
export async function listMails({ db }: Store, wanted: WantedMails, limit: number) {
  const { id, givenUp, accountId, before } = wanted
  if (accountId !== undefined && !isAccountId(accountId)) return []
  const to = sql<string>`coalesce(${mails.receiver}, (select email from accounts where accounts.id = ${mails.accountId}))`
  return db
    .select({ ...SHOWN, to })
    .from(mails)
    .where(
      and(
        id === undefined ? undefined : eq(mails.id, id),
        givenUp ? eq(mails.state, 'given_up') : undefined,
        accountId === undefined ? undefined : eq(mails.accountId, accountId),
        before &&
          or(lt(mails.createdAt, before.at), and(eq(mails.createdAt, before.at), lt(mails.id, before.id))),
      ),
    )
    .orderBy(desc(mails.createdAt), desc(mails.id))
    .limit(limit)
}

/** Queues a mail that only tries the way to an address, and leads to the room. @returns its id @throws ERR_VALIDATION */
export async function queueTestMail(store: Store, to: string, link: string, by?: Actor): Promise<string> {
  const receiver = readEmail(to)
  return withAct(store, by, async (tx, note) => {
    note({})
    const sentence = 'This email only shows that emails arrive.'
    const letter = { template: 'operator_alarm', state: 'test', sentence, link } as const
    return queueOperatorMail(store, tx, receiver, letter)
  })
}

/**
 * Has a mail tried again now: one that waits, or one that was given up and still says something true.
 *
 * @throws ERR_NOT_FOUND, or ERR_VALIDATION for a mail that is sent or cannot be read, or whose link or news is out of date
 */
export async function retryMail(store: Store, id: string, by?: Actor): Promise<void> {
  await withAct(store, by, async (tx, note) => {
    const [mail] = isAccountId(id) ? await tx.select().from(mails).where(eq(mails.id, id)).for('update') : []
    if (!mail) throw new AppError('ERR_NOT_FOUND', `There is no mail ${id}.`)
    if (mail.state === 'sent') throw new AppError('ERR_VALIDATION', 'The mail server has accepted this mail.')
    const now = store.now()
    note({ accountId: mail.accountId, changes: { mail: [mail.state, 'queued'] } })
    wakeMails(tx)
    if (mail.state === 'queued') {
      // One that is being tried now belongs to who tries it.
      const soon = new Date(now.getTime() + MAIL_LEASE_MS)
      if (mail.nextTryAt > soon) await tx.update(mails).set({ nextTryAt: now }).where(eq(mails.id, id))
      return
    }
    const letter = openLetter(store, mail.letterSealed, id)
    const isPast = letter && 'endsAt' in letter && letter.template !== 'ended' && letter.endsAt <= now
    if (!letter || isPast) throw new AppError('ERR_VALIDATION', 'What this mail says is out of date or lost.')
    const givesUpAt = new Date(now.getTime() + NOTICE_MS)
    await tx
      .update(mails)
      .set({ state: 'queued', attempts: 0, nextTryAt: now, givesUpAt })
      .where(eq(mails.id, id))
  })
}
