import { readPlace, writePlace } from './place.ts'
import type { NamesOf, Runs } from './run.ts'
import { roomOf } from './session/room.ts'
import { withTimes } from './with-times.ts'

/** Verbs on mails. */
export const mailRuns: Runs<NamesOf<'mail'>> = {
  async 'mail list'({ givenUp, account, limit, cursor }, { accounts }) {
    const accountId = account === undefined ? undefined : await accounts.findWhoId(account)
    const place = readPlace(cursor)
    const before = place && { at: new Date(place.at), id: place.id }
    const mails = await accounts.listMails({ givenUp, accountId, before }, limit)
    const rows = mails.map(withTimes)
    const last = rows.length < limit ? undefined : rows.at(-1)
    return { rows, next: last ? writePlace(last.createdAt, last.id) : null }
  },
  async *'mail test'({ to }, parts) {
    const { accounts, by, mailsSettled } = parts
    const id = await accounts.queueTestMail(to, roomOf(parts).url, by)
    // Says what became of it, if that is soon known.
    await mailsSettled?.()
    for (const mail of await accounts.listMails({ id }, 1)) yield withTimes(mail)
  },
  async 'mail retry'({ id }, { accounts, by }) {
    await accounts.retryMail(id, by)
  },
}
