import type { Accounts } from '@pairwire/accounts'
import { createManualClock, type ManualClock } from '@pairwire/basics/testing/manual-clock'
import { DAY_MS } from '@pairwire/contract'
import { afterEach, describe, expect, it } from 'vitest'
import type { Mail } from './adapters/mail.ts'
import { createSmtpMail } from './adapters/mail-smtp.ts'
import { createLeases } from './leases.ts'
import { MailSender } from './mail-sender.ts'
import { openTestAccounts } from './testing/api-under-test.ts'
import { startSmtpDouble } from './testing/smtp-double.ts'

const START = Date.UTC(2026, 1, 3, 12)

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

let count = 0

/** Accounts with an empty queue and a clock for the test, with a function that starts senders. */
async function under() {
  // Each test is far enough after the one before that nothing of it is still due.
  const clock = createManualClock(START + count * 10 * DAY_MS)
  const accounts = await openTestAccounts(clock.now)
  for (let left = 1; left > 0; ) {
    const due = await accounts.takeDueMails(100)
    for (const { id } of due.mails) await accounts.noteMailFailed(id, true)
    left = due.mails.length
  }
  const email = `mara-${count++}@example.com`
  const logged: string[] = []
  const register = () => accounts.register({ email, origin: 'other', enableMarketingEmails: false })

  const startSender = (over: { mail: Mail; accounts?: Partial<Accounts>; clock?: ManualClock }) => {
    const log = (sentence: string, fields?: unknown) =>
      void logged.push(`${sentence} ${JSON.stringify(fields ?? {})}`)
    const leases = createLeases(accounts)
    const sender = new MailSender({
      accounts: { ...accounts, ...over.accounts },
      leases,
      mail: over.mail,
      publicUrl: 'https://pairwire.example',
      clock: over.clock ?? clock,
      log: { info: log, warn: log, error: log },
    })
    sender.start()
    closers.push(leases.free, sender.close)
    return sender
  }
  return { accounts, clock, email, logged, register, startSender }
}

async function startSmtp(over: Parameters<typeof startSmtpDouble>[0] = {}) {
  const smtp = await startSmtpDouble(over)
  closers.push(smtp.close)
  return { ...smtp, mail: createSmtpMail({ url: smtp.url, from: 'hello@pairwire.example' }) }
}

/** A promise and the function that fulfils it. */
function signal() {
  let fulfil = () => {}
  const promise = new Promise<void>((resolve) => {
    fulfil = resolve
  })
  return { promise, fulfil }
}

describe('the mail sender', () => {
  it('keeps checking for ending trials when the clock is set back', async () => {
    const { startSender, clock } = await under()
    let looks = 0
    startSender({
      mail: { send: async () => {}, close: async () => {} },
      accounts: { queueTrialNotices: async () => void looks++ },
    })
    await clock.waitedFor(30_000)

    clock.step(-DAY_MS)
    clock.advance(30_000)

    await expect.poll(() => looks).toBe(2)
  })

  it('sends a mail as soon as it is queued, while the clock stands still', async () => {
    const { startSender, register, email } = await under()
    const smtp = await startSmtp()
    const sender = startSender(smtp)
    await sender.settled()

    await register()
    await smtp.gets(1)
    await sender.settled()

    expect(smtp.received).toMatchObject([{ to: [email] }])
    expect(smtp.received[0]!.text).toContain('Subject: Welcome to Pairwire: your login link')
  })

  it('sends what was queued before it started', async () => {
    const { startSender, register } = await under()
    await register()
    const smtp = await startSmtp()

    await startSender(smtp).settled()

    expect(smtp.received).toHaveLength(1)
  })

  it('tries again when the mail server is away, with the same Message-ID, and logs neither link nor address', async () => {
    const { startSender, register, clock, email, logged } = await under()
    const away = await startSmtpDouble()
    await away.close()
    const port = Number(new URL(away.url).port)
    const sender = startSender({ mail: createSmtpMail({ url: away.url, from: 'hello@pairwire.example' }) })
    const { token } = await register()
    await sender.settled()
    let tries = 0
    const smtp = await startSmtp({
      port,
      answer: async () => {
        if (tries++ === 0) throw Object.assign(new Error('later'), { responseCode: 451 })
      },
    })

    clock.advance(5_000)
    await smtp.gets(1)
    await sender.settled()
    clock.advance(10_000)
    await smtp.gets(2)
    await sender.settled()
    clock.advance(20_000)
    await sender.settled()

    const ids = smtp.received.map(({ messageId }) => messageId)
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
    expect(ids[0]).toMatch(/^<[0-9a-f-]{36}@pairwire\.example>$/)
    expect(logged.filter((line) => line.startsWith('A mail could not be sent.'))).toHaveLength(2)
    expect(logged.join()).not.toContain(token)
    expect(logged.join()).not.toContain(email)
  })

  it('gives up a mail that the server refuses permanently', async () => {
    const { startSender, register, email, logged, clock } = await under()
    const smtp = await startSmtp({ refusedRecipient: email })
    const sender = startSender(smtp)

    await register()
    await sender.settled()
    clock.advance(60_000)
    await sender.settled()

    expect(logged.map((line) => line.split('. ')[0])).toEqual([
      'A mail could not be sent',
      'A mail was given up without being sent',
    ])
  })

  it('shares the queue with another sender without sending anything twice', async () => {
    const { startSender, accounts, email, register } = await under()
    await register()
    for (let more = 0; more < 11; more++) await accounts.requestLogin(email)
    const smtp = await startSmtp()

    const senders = [startSender(smtp), startSender(smtp)]
    await Promise.all(senders.map((sender) => sender.settled()))

    expect(smtp.received).toHaveLength(12)
    expect(new Set(smtp.received.map(({ messageId }) => messageId)).size).toBe(12)
  })

  it('keeps its lease on a mail for as long as the server takes to answer', async () => {
    const { startSender, register, clock } = await under()
    const answered = signal()
    const smtp = await startSmtp({ answer: () => answered.promise })
    const slow = startSender(smtp)
    await register()
    await smtp.gets(1)
    for (let held = 0; held < 5; held++) {
      await clock.waitedFor(10_000)
      clock.advance(10_000)
    }
    await clock.waitedFor(10_000)

    await startSender(smtp).settled()
    answered.fulfil()
    await slow.settled()

    expect(smtp.received).toHaveLength(1)
  })

  it('keeps trying to record a sent mail until the database is back, and does not send it again', async () => {
    const { startSender, register, accounts, clock } = await under()
    const smtp = await startSmtp()
    let tries = 0
    const sender = startSender({
      mail: smtp.mail,
      accounts: {
        noteMailSent: async (id) => {
          if (tries++ < 2) throw new Error('away')
          await accounts.noteMailSent(id)
        },
      },
    })
    await register()
    for (let again = 0; again < 2; again++) {
      await clock.waitedFor(1_000)
      clock.advance(1_000)
    }
    await sender.settled()
    clock.advance(60_000)
    await sender.settled()

    expect(smtp.received).toHaveLength(1)
    expect(tries).toBe(3)
  })

  it('continues after the database was away', async () => {
    const { startSender, register, accounts, clock, logged } = await under()
    await register()
    const smtp = await startSmtp()
    let tries = 0
    startSender({
      mail: smtp.mail,
      accounts: {
        takeDueMails: async (limit) => {
          if (tries++ === 0) throw new Error('away')
          return accounts.takeDueMails(limit)
        },
      },
    })
    await clock.waitedFor(2_000)

    clock.advance(2_000)
    await smtp.gets(1)

    expect(logged[0]).toContain('The mail queue could not be read.')
  })

  it('finishes the mail in flight when closed, and starts no other', async () => {
    const { startSender, register, accounts, email, clock } = await under()
    const answered = signal()
    const smtp = await startSmtp({ answer: () => answered.promise })
    const sender = startSender(smtp)
    await register()
    await smtp.gets(1)

    const closed = sender.close()
    await accounts.requestLogin(email)
    answered.fulfil()
    await closed
    clock.advance(60_000)
    await startSender(smtp).settled()

    expect(smtp.received).toHaveLength(2)
    expect(new Set(smtp.received.map(({ messageId }) => messageId)).size).toBe(2)
  })

  it('closes in time even if the mail server does not answer', async () => {
    const { startSender, register, clock, logged } = await under()
    const answered = signal()
    const smtp = await startSmtp({ answer: () => answered.promise })
    const sender = startSender(smtp)
    await register()
    await smtp.gets(1)

    const closed = sender.close()
    await clock.waitedFor(2_000)
    clock.advance(2_000)
    await closed

    expect(logged.join()).toContain('Mails were still being sent at shutdown.')
    answered.fulfil()
  })

  it('announces the end of a trial a day before', async () => {
    const { startSender, register, accounts, clock } = await under()
    const smtp = await startSmtp()
    const { token } = await register()
    const { accountId } = await accounts.exchangeLoginToken(token)
    await accounts.startTrial(accountId, 3)
    const sender = startSender(smtp)
    await sender.settled()

    clock.advance(4 * DAY_MS)
    await smtp.gets(2)
    await sender.settled()

    const { text } = smtp.received[1]!
    expect(text).toContain('Subject: Your Pairwire trial ends soon')
    expect(text).toContain('https://pairwire.example/dashboard/upgrade')
  })
})
