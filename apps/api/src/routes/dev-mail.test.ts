import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { MailMessage } from '../adapters/mail.ts'
import { aMail } from '../testing/a-mail.ts'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'

const mailTo = (to: string, over: Partial<MailMessage> = {}) =>
  aMail({ id: randomUUID(), to, link: `http://localhost:23000/dashboard/login?t=${randomUUID()}`, ...over })

describe('the developer mailbox', () => {
  it('returns mails as JSON, newest first', async () => {
    const { app, email, clock, mailbox } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    const first = mailTo(email)
    const second = mailTo(email, { subject: 'Your Pairwire plan is cancelled' })
    await mailbox.send(first)
    clock.now += 1_000
    await mailbox.send(second)

    const answer = await app.inject('/dev/mail.json')

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual([
      { to: email, subject: second.subject, link: second.link, at: new Date(clock.now).toISOString() },
      { to: email, subject: first.subject, link: first.link, at: new Date(clock.now - 1_000).toISOString() },
    ])
  })

  it('holds the mail of a call that has just been answered', async () => {
    const { app, accounts, email } = await createApiUnderTest()
    await accounts.register({ email, origin: 'other', enableMarketingEmails: false })

    const answer = await app.inject('/dev/mail.json')

    expect(answer.json()).toMatchObject([{ to: email, subject: 'Welcome to Pairwire: your login link' }])
  })

  it('shows the newest link and its text as a page, without a script inside', async () => {
    const { app, email, mailbox } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    await mailbox.send(mailTo(email, { text: 'Dear <b>reader</b>' }))

    const answer = await app.inject('/dev/mail')

    expect(answer.statusCode).toBe(200)
    expect(answer.payload).toContain(`href="${mailbox.list()[0]!.link}"`)
    expect(answer.payload).toContain('Open login link')
    expect(answer.payload).toContain('Dear &lt;b&gt;reader')
    expect(answer.payload).toContain(email)
    expect(answer.payload).not.toMatch(/<script>|<style|<[^>]* (style|on\w+)=/)
  })

  it('opens the chosen mail', async () => {
    const { app, email, mailbox } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    const notice = mailTo(email, { link: 'http://localhost:23000/dashboard/account', text: 'It ends.' })
    await mailbox.send(notice)
    await mailbox.send(mailTo(email))

    const answer = await app.inject(`/dev/mail?open=${notice.id}`)

    expect(answer.payload).toContain('It ends.')
    expect(answer.payload).toContain('Open the link')
  })

  it('filters by address and writes the filter as text', async () => {
    const { app, email, mailbox } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    await mailbox.send(mailTo(email))

    const none = await app.inject('/dev/mail?to=%22%3E%3Cscript%3E')
    const found = await app.inject(`/dev/mail?to=${email.slice(0, 12).toUpperCase()}`)

    expect(none.payload).toContain('No emails yet. Request a login link.')
    expect(none.payload).not.toContain('"><script>')
    expect(found.payload).toContain('Open login link')
  })

  it('draws a mail as it was sent, with only its styles active', async () => {
    const { app, mailbox, email } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    const mail = mailTo(email)
    await mailbox.send(mail)

    const answer = await app.inject(`/dev/mail/${mail.id}`)
    const missing = await app.inject('/dev/mail/none')

    expect(answer.payload).toBe(mail.html)
    expect(answer.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'unsafe-inline'; sandbox/,
    )
    expect(missing.statusCode).toBe(404)
  })

  it.each(['/dev/mail', '/dev/mail.json', '/dev/mail/1'])(
    'is absent on a host that others reach: %s',
    async (url) => {
      const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, isLocal: false })

      const answer = await app.inject(url)

      expect(answer.statusCode).toBe(404)
    },
  )

  it.each(['/dev/mail', '/dev/mail.json'])('is absent if mails go elsewhere: %s', async (url) => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, mailbox: undefined })

    const answer = await app.inject(url)

    expect(answer.statusCode).toBe(404)
  })
})
