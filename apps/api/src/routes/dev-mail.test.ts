import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { composeLoginMail } from '../login-mail.ts'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'

const aMail = (email: string) =>
  composeLoginMail('http://localhost:23000', { email, token: randomUUID(), expiresAt: new Date(0) })

describe('the developer mailbox', () => {
  it('gives mails as JSON, newest first', async () => {
    const { app, email, clock, mailbox } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    await mailbox.send(aMail(email))
    clock.now += 1_000
    await mailbox.send(aMail(email))

    const answer = await app.inject('/dev/mail.json')

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual([
      {
        to: email,
        subject: 'Your Pairwire login link',
        link: mailbox.list()[0]!.link,
        at: new Date(clock.now).toISOString(),
      },
      {
        to: email,
        subject: 'Your Pairwire login link',
        link: mailbox.list()[1]!.link,
        at: new Date(clock.now - 1_000).toISOString(),
      },
    ])
  })

  it('shows the newest link as a page, without a script inside', async () => {
    const { app, email, mailbox } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    await mailbox.send(aMail(email))

    const answer = await app.inject('/dev/mail')

    expect(answer.statusCode).toBe(200)
    expect(answer.payload).toContain(`href="${mailbox.list()[0]!.link}"`)
    expect(answer.payload).toContain(email)
    expect(answer.payload).not.toMatch(/<script>|<style| style=| on\w+=/)
  })

  it('filters by address and writes the filter as text', async () => {
    const { app, email, mailbox } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    await mailbox.send(aMail(email))

    const none = await app.inject('/dev/mail?to=%22%3E%3Cscript%3E')
    const found = await app.inject(`/dev/mail?to=${email.slice(0, 12).toUpperCase()}`)

    expect(none.payload).toContain('No mail yet. Ask for a login link.')
    expect(none.payload).not.toContain('"><script>')
    expect(found.payload).toContain('Open login link')
  })

  it.each(['/dev/mail', '/dev/mail.json'])('is absent in production: %s', async (url) => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, production: true })

    const answer = await app.inject(url)

    expect(answer.statusCode).toBe(404)
  })

  it.each(['/dev/mail', '/dev/mail.json'])('is absent when mails go elsewhere: %s', async (url) => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, mailbox: undefined })

    const answer = await app.inject(url)

    expect(answer.statusCode).toBe(404)
  })
})
