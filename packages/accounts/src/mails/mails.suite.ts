import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OPERATOR } from '../acts/acts.suite.ts'
import type { BillingReport } from '../billing/billing-event.ts'
import { createAccounts } from '../create-accounts.ts'
import { mails, subscriptions } from '../database/schema.ts'
import {
  type AccountsUnderTest,
  DAY_MS,
  expectRefusal,
  MINUTE_MS,
  START,
} from '../testing/accounts-under-test.ts'
import type { QueuedMail } from './queue-mail.ts'
import { MAIL_LEASE_MS } from './take-due-mails.ts'

/** The queue of mails: what every database must keep of them. */
export function describeMails({
  accounts,
  db,
  parts,
  clock,
  register,
  aPerson,
  aPaidPlan,
}: AccountsUnderTest): void {
  /** Takes and sends everything that is due. */
  async function sendDue(): Promise<QueuedMail[]> {
    const { mails: due } = await accounts.takeDueMails(100)
    for (const { id } of due) await accounts.noteMailSent(id)
    return [...due]
  }

  describe('the mail queue', () => {
    it('holds the welcome mail of a registration with its token, and says so', async () => {
      let announced = 0
      const stop = accounts.onMailQueued(() => announced++)

      const { token } = await register('Ann@example.org')
      stop()

      expect(announced).toBe(1)
      expect(await accounts.takeDueMails(10)).toMatchObject({
        mails: [{ to: 'Ann@example.org', letter: { template: 'welcome', token }, attempt: 1 }],
        givenUp: 0,
      })
    })

    it('holds a login mail for each request, the oldest first', async () => {
      await register()
      await sendDue()
      const tokens: string[] = []
      for (let count = 0; count < 3; count++) {
        clock.now += 1
        tokens.push((await accounts.requestLogin('ann@example.org')).token)
      }

      const first = await accounts.takeDueMails(2)
      const rest = await accounts.takeDueMails(2)

      const taken = [...first.mails, ...rest.mails]
      expect(taken.map(({ letter }) => letter.template)).toEqual(['login', 'login', 'login'])
      expect(first.mails).toHaveLength(2)
      expect(taken.map(({ letter }) => 'token' in letter && letter.token).sort()).toEqual(tokens.sort())
    })

    it('holds nothing for a registration that is refused', async () => {
      await register()
      await sendDue()

      await register().catch(() => {})

      expect((await accounts.takeDueMails(10)).mails).toEqual([])
    })

    // Guards sign-in links: a copy of the database must be worth nothing.
    it('holds no readable token, and none at all once the mail is sent', async () => {
      const { token } = await register()
      const before = JSON.stringify(await db.select().from(mails))

      await sendDue()

      expect(before).not.toContain(token)
      expect(await db.select().from(mails)).toMatchObject([
        { state: 'sent', letterSealed: null, sentAt: new Date(START) },
      ])
    })

    it('gives a mail to one of several processes that take at the same time', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 6 }),
          fc.integer({ min: 2, max: 5 }),
          async (count, takers) => {
            for (let made = 0; made < count; made++) await register(`${made}-${Math.random()}@example.org`)

            const taken = await Promise.all(Array.from({ length: takers }, () => accounts.takeDueMails(2)))
            const rest = await accounts.takeDueMails(100)

            const ids = [...taken, rest].flatMap((due) => due.mails.map(({ id }) => id))
            expect(ids).toHaveLength(count)
            expect(new Set(ids).size).toBe(count)
          },
        ),
        { numRuns: 10 },
      )
    })

    it('hands out the same mail again if the process that took it falls silent', async () => {
      await register()
      const [first] = (await accounts.takeDueMails(1)).mails
      clock.now += MAIL_LEASE_MS - 1
      expect((await accounts.takeDueMails(1)).mails).toEqual([])
      clock.now += 1

      const [second] = (await accounts.takeDueMails(1)).mails

      expect(second).toEqual({ ...first, attempt: 2 })
    })

    it('leaves a mail to a process that says it is still sending it', async () => {
      await register()
      const [mail] = (await accounts.takeDueMails(1)).mails
      clock.now += MAIL_LEASE_MS - 1
      await accounts.holdMails([mail!.id])
      clock.now += MAIL_LEASE_MS - 1

      expect((await accounts.takeDueMails(1)).mails).toEqual([])
    })

    it('tries a login mail after 5, 10, 20 and then every 30 seconds, until its link has expired', async () => {
      await register()
      const tries: number[] = []
      let givenUp = 0
      for (;;) {
        const { mails: due, nextTryAt } = await accounts.takeDueMails(1)
        for (const { id } of due) {
          tries.push((clock.now - START) / 1_000)
          if ((await accounts.noteMailFailed(id, false)) === 'given_up') givenUp++
        }
        if (!nextTryAt) break
        if (due.length === 0) clock.now = nextTryAt.getTime()
      }

      expect(tries.slice(0, 6)).toEqual([0, 5, 15, 35, 65, 95])
      expect(tries.at(-1)).toBe(875)
      expect(givenUp).toBe(1)
      expect(await db.select().from(mails)).toMatchObject([{ state: 'given_up', letterSealed: null }])
    })

    it('does not delay a mail by the time the clock was set back', async () => {
      await register()
      clock.now -= 60_000
      expect((await accounts.takeDueMails(1)).mails).toEqual([])

      clock.now -= 60 * MINUTE_MS

      expect((await accounts.takeDueMails(1)).mails).toHaveLength(1)
      expect((await accounts.takeDueMails(1)).mails).toEqual([])
    })

    it('gives up a mail that no process tried in time', async () => {
      await register()
      clock.now += 15 * MINUTE_MS

      const due = await accounts.takeDueMails(1)

      expect(due).toEqual({ mails: [], givenUp: 1, nextTryAt: null })
    })

    it('gives up a mail at once that is refused permanently', async () => {
      await register()
      const [mail] = (await accounts.takeDueMails(1)).mails

      expect(await accounts.noteMailFailed(mail!.id, true)).toBe('given_up')
      clock.now += MINUTE_MS
      expect((await accounts.takeDueMails(1)).mails).toEqual([])
    })

    it('gives up a mail sealed with another secret, and continues with the rest', async () => {
      await register()
      const other = createAccounts({
        ...parts,
        secrets: { ...parts.secrets, keyEncryption: new Uint8Array(32).fill(9) },
      })

      expect(await other.takeDueMails(10)).toMatchObject({ mails: [], givenUp: 1 })
    })

    it('shows operators what became of each, newest first, and those that were given up alone', async () => {
      const { accountId } = await aPerson()
      await sendDue()
      clock.now += 1
      await accounts.requestLogin('ann@example.org')
      const [mail] = (await accounts.takeDueMails(1)).mails
      await accounts.noteMailFailed(mail!.id, true)

      const all = await accounts.listMails({ accountId }, 5)

      expect(all).toMatchObject([
        { to: 'ann@example.org', template: 'login', state: 'given_up', attempts: 1, sentAt: null },
        { to: 'ann@example.org', template: 'welcome', state: 'sent', sentAt: new Date(START) },
      ])
      expect(all[0]).not.toHaveProperty('letterSealed')
      expect(await accounts.listMails({ givenUp: true }, 5)).toEqual([all[0]])
      const before = { at: all[0]!.createdAt, id: all[0]!.id }
      expect(await accounts.listMails({ before }, 5)).toEqual([all[1]])
    })

    it('tries again what an operator asks for, unless it was sent or is out of date', async () => {
      const { accountId } = await aPerson()
      const [sent] = await sendDue()
      await accounts.startTrial(accountId, 2)
      clock.now += 4.5 * DAY_MS
      await accounts.queueTrialNotices()
      const [notice] = (await accounts.takeDueMails(1)).mails
      await accounts.noteMailFailed(notice!.id, true)
      await accounts.requestLogin('ann@example.org')
      const [login] = (await accounts.takeDueMails(1)).mails
      await accounts.noteMailFailed(login!.id, true)

      await accounts.retryMail(notice!.id, OPERATOR)
      const [again] = (await accounts.takeDueMails(5)).mails
      for (let attempt = 0; attempt < 4; attempt++) await accounts.noteMailFailed(again!.id, false)
      const { mails: none } = await accounts.takeDueMails(5)
      await accounts.noteMailFailed(notice!.id, true)
      clock.now += DAY_MS

      expect(again).toMatchObject({ id: notice!.id, letter: { template: 'trial_ending' }, attempt: 1 })
      expect(none).toEqual([])
      for (const id of [sent!.id, login!.id, notice!.id]) {
        await expectRefusal('ERR_VALIDATION', accounts.retryMail(id))
      }
      for (const id of ['nonsense', accountId]) {
        await expectRefusal('ERR_NOT_FOUND', accounts.retryMail(id))
      }
      expect(await accounts.listActs({}, 5)).toMatchObject([
        { verb: OPERATOR.verb, accountId, changes: { mail: ['given_up', 'queued'] } },
      ])
    })

    it('says that a mail cannot be tried again that was sealed with a secret replaced since', async () => {
      const { accountId } = await aPerson()
      await sendDue()
      await accounts.startTrial(accountId, 2)
      clock.now += 4.5 * DAY_MS
      await accounts.queueTrialNotices()
      const [notice] = (await accounts.takeDueMails(1)).mails
      await accounts.noteMailFailed(notice!.id, true)
      const secrets = { ...parts.secrets, keyEncryption: new Uint8Array(32).fill(9) }
      const afterwards = createAccounts({ ...parts, secrets })

      await expectRefusal('ERR_VALIDATION', afterwards.retryMail(notice!.id))

      expect(await accounts.listMails({ id: notice!.id }, 1)).toMatchObject([{ state: 'given_up' }])
    })

    it('tries a mail at once that would wait for an hour, but none that is just being tried', async () => {
      const { accountId } = await aPerson()
      await sendDue()
      await accounts.startTrial(accountId, 2)
      clock.now += 4.5 * DAY_MS
      await accounts.queueTrialNotices()
      const [mail] = (await accounts.takeDueMails(1)).mails

      await accounts.retryMail(mail!.id)
      expect((await accounts.takeDueMails(1)).mails).toEqual([])

      for (let attempt = 1; attempt < 4; attempt++) {
        await accounts.noteMailFailed(mail!.id, false)
        clock.now += 10 * MINUTE_MS
        await accounts.takeDueMails(1)
      }
      await accounts.noteMailFailed(mail!.id, false)
      await accounts.retryMail(mail!.id)
      expect((await accounts.takeDueMails(1)).mails).toMatchObject([{ id: mail!.id }])
    })

    it('deletes the mails of a deleted account', async () => {
      const { accountId } = await aPerson()

      await accounts.deleteAccount(accountId)

      expect(await db.select().from(mails)).toEqual([])
    })

    it('deletes mails sent three months ago', async () => {
      await register()
      await sendDue()
      clock.now += 90 * DAY_MS

      await accounts.sweep()

      expect(await db.select().from(mails)).toEqual([])
    })
  })

  describe('the notice of a trial that ends', () => {
    it('is queued one day before, once', async () => {
      const { accountId } = await aPerson()
      await accounts.startTrial(accountId, 2)
      await sendDue()
      clock.now += 4 * DAY_MS - 1
      await accounts.queueTrialNotices()
      expect(await sendDue()).toEqual([])
      clock.now += 1

      await accounts.queueTrialNotices()
      await accounts.queueTrialNotices()

      expect(await sendDue()).toMatchObject([
        {
          to: 'ann@example.org',
          letter: { template: 'trial_ending', planId: 2, endsAt: new Date(START + 5 * DAY_MS) },
        },
      ])
      clock.now += MINUTE_MS
      await accounts.queueTrialNotices()
      expect(await sendDue()).toEqual([])
    })

    it('is queued once by processes that check at the same time', async () => {
      const { accountId } = await aPerson()
      await accounts.startTrial(accountId, 2)
      await sendDue()
      clock.now += 4.5 * DAY_MS

      await Promise.all([1, 2, 3].map(() => createAccounts(parts).queueTrialNotices()))

      expect(await sendDue()).toHaveLength(1)
    })

    it('is not queued for an ended trial, nor for a user with another plan', async () => {
      const over = await aPerson('over@example.org')
      const pays = await aPerson('pays@example.org')
      const granted = await aPerson('granted@example.org')
      for (const { accountId } of [over, pays, granted]) await accounts.startTrial(accountId, 2)
      await sendDue()
      await db
        .update(subscriptions)
        .set({ endedAt: new Date(START) })
        .where(eq(subscriptions.accountId, over.accountId))
      await aPaidPlan(pays.accountId)
      await accounts.grantPlan('granted@example.org', 3)
      clock.now += 4.5 * DAY_MS

      await accounts.queueTrialNotices()

      expect(await sendDue()).toEqual([])
    })

    it('counts as given up for a day from then, also if nothing ran while it waited', async () => {
      const { accountId } = await aPerson()
      await accounts.startTrial(accountId, 2)
      await sendDue()
      clock.now += 4 * DAY_MS
      await accounts.queueTrialNotices()
      const counted = async () => {
        const [{ givenUpMails }, { mails }] = [await accounts.readAlarmFacts(), await accounts.readWork()]
        return [givenUpMails, mails.givenUp24h]
      }
      clock.now += 1.5 * DAY_MS

      expect(await accounts.takeDueMails(10)).toMatchObject({ mails: [], givenUp: 1 })

      expect(await counted()).toEqual([1, 1])
      clock.now += DAY_MS
      expect(await counted()).toEqual([0, 0])
    })

    it('is queued beside a plan that nobody cancelled and whose time without payment is over', async () => {
      const { accountId } = await aPerson()
      await aPaidPlan(accountId, { state: 'past_due', endsAt: new Date(START + 7 * DAY_MS) })
      clock.now += 8 * DAY_MS
      await accounts.giveTrial(accountId, { days: 3 }, OPERATOR)
      await sendDue()
      clock.now += 2.5 * DAY_MS

      await accounts.queueTrialNotices()

      expect(await sendDue()).toMatchObject([{ letter: { template: 'trial_ending' } }])
    })
  })

  describe('the notices of a paid plan', () => {
    let count = 0
    /** A paid plan whose mails so far are sent, with a function that reports on it. */
    async function aPayer() {
      const { accountId } = await aPerson()
      const until = new Date(START + 30 * DAY_MS)
      const subscriptionId = `sub-${count++}`
      const report = (said: BillingReport, occurredAt = new Date(clock.now)) =>
        accounts.applyBillingEvent({
          provider: 'sandbox',
          id: `event-${count++}`,
          occurredAt,
          subscriptionId,
          customerId: undefined,
          accountId,
          priceIds: [],
          raw: {},
          report: said,
        })
      await report({ type: 'paid', planId: 2, until })
      await sendDue()
      clock.now += MINUTE_MS
      return { report, until }
    }

    it('announce a failed payment and how long the plan continues, once per period', async () => {
      const { report, until } = await aPayer()
      clock.now = until.getTime()
      await report({ type: 'payment_failed', planId: 2 })
      clock.now += MINUTE_MS
      await report({ type: 'payment_failed', planId: 2 })

      expect(await sendDue()).toMatchObject([
        { letter: { template: 'payment_failed', planId: 2, endsAt: new Date(until.getTime() + 7 * DAY_MS) } },
      ])
    })

    it('announce a failed payment for each period', async () => {
      const { report, until } = await aPayer()
      await report({ type: 'payment_failed', planId: 2 })
      clock.now += MINUTE_MS
      await report({ type: 'paid', planId: 2, until })
      clock.now += MINUTE_MS
      await report({ type: 'payment_failed', planId: 2 })

      expect((await sendDue()).map(({ letter }) => letter.template)).toEqual([
        'payment_failed',
        'payment_failed',
      ])
    })

    it('announce a cancellation and the last day, and not again on that day', async () => {
      const { report, until } = await aPayer()
      await report({ type: 'cancelled', planId: 2, until })
      expect(await sendDue()).toMatchObject([{ letter: { template: 'cancelled', planId: 2, endsAt: until } }])
      clock.now = until.getTime()

      await report({ type: 'ended' })

      expect(await sendDue()).toEqual([])
    })

    it('announce the end of a plan that was not cancelled', async () => {
      const { report } = await aPayer()

      await report({ type: 'ended' })

      expect(await sendDue()).toMatchObject([
        { letter: { template: 'ended', planId: 2, endsAt: new Date(clock.now) } },
      ])
    })

    it('do not announce a payment', async () => {
      const { report } = await aPayer()

      await report({ type: 'paid', planId: 3, until: new Date(START + 60 * DAY_MS) })

      expect(await sendDue()).toEqual([])
    })

    it('do not announce a failed payment that succeeded before its report arrived', async () => {
      const { report, until } = await aPayer()
      const failedAt = new Date(clock.now - 1)
      await report({ type: 'paid', planId: 2, until })

      await report({ type: 'payment_failed', planId: 2 }, failedAt)

      expect(await sendDue()).toEqual([])
    })
  })
}
