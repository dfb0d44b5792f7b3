import { describe, expect, it, onTestFinished } from 'vitest'
import { findWith } from '../../testing/doctor-under-test.ts'
import { startSmtpDouble } from '../../testing/smtp-double.ts'

/** What the check finds of a mail server. */
async function find(
  over: Parameters<typeof startSmtpDouble>[0],
  login = '',
  { host = '127.0.0.1', mailTo }: { host?: string; mailTo?: string } = {},
) {
  const smtp = await startSmtpDouble(over)
  onTestFinished(() => smtp.close())
  const url = smtp.url.replace('127.0.0.1', `${login}${host}`)
  const found = await findWith('mail', { SMTP_URL: url, MAIL_FROM: 'hello@stream.example' }, { mailTo })
  return { found, received: smtp.received }
}

describe('the check of the mail server', () => {
  it('connects and signs in, and sends nothing by itself', async () => {
    const { found, received } = await find({ password: 'right' }, 'mara:right@')

    expect(found).toMatchObject({ state: 'ok', fix: null })
    expect(received).toEqual([])
  })

  it('sends one email if it is asked to', async () => {
    const { found, received } = await find({}, '', { mailTo: 'mara@example.org' })

    expect(found).toMatchObject({ state: 'ok', sentence: expect.stringContaining('an email to mara@') })
    expect(received).toMatchObject([{ to: ['mara@example.org'], from: 'hello@stream.example' }])
  })

  it.each([
    ['a wrong password', { password: 'right' }, 'mara:wrong@', {}, /^Correct user and password/],
    ['a certificate that nobody signed', { hasTls: true }, '', {}, /as its certificate does/],
    [
      'an address that does not exist',
      { refusedRecipient: 'mara@example.org' },
      '',
      { mailTo: 'mara@example.org' },
      /--mail-to/,
    ],
  ])('names %s', async (_name, over, login, more, fix) => {
    const { found } = await find(over, login, more)

    expect(found).toMatchObject({ state: 'fail', fix: expect.stringMatching(fix) })
  })

  it('names a server that is away, and one that does not encrypt', async () => {
    const away = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'hello@stream.example' }

    expect(await findWith('mail', away)).toMatchObject({
      state: 'fail',
      fix: expect.stringMatching(/^Correct host and port/),
    })
    expect((await find({}, '', { host: '0.0.0.0' })).found).toMatchObject({
      state: 'warn',
      fix: expect.stringContaining('smtps://'),
    })
  })

  it('says where emails are shown without one, or that nobody gets any', async () => {
    expect(await findWith('mail')).toMatchObject({
      state: 'ok',
      sentence: expect.stringContaining('/dev/mail'),
    })
    expect(await findWith('mail', { HOST: '0.0.0.0' })).toMatchObject({
      state: 'warn',
      fix: expect.stringContaining('SMTP_URL'),
    })
  })
})
