import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { aMail } from '../testing/a-mail.ts'
import { createApiUnderTest } from '../testing/api-under-test.ts'
import { startSmtpDouble } from '../testing/smtp-double.ts'
import { MailRefusedError } from './mail.ts'
import { createSmtpMail } from './mail-smtp.ts'

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

describe('mail over SMTP', () => {
  it('hands text and HTML to the server, from the configured address', async () => {
    const smtp = await startSmtp()
    const mail = createSmtpMail({ url: smtp.url, from: 'Pairwire <hello@pairwire.example>' })

    await mail.send(aMail())

    expect(smtp.received).toMatchObject([{ from: 'hello@pairwire.example', to: ['mara@example.com'] }])
    const { text } = smtp.received[0]!
    expect(text).toContain('Subject: Your Pairwire login link')
    expect(text).toContain('Content-Type: text/plain')
    expect(text).toContain('Content-Type: text/html')
    expect(text).toContain('Auto-Submitted: auto-generated')
    expect(unfolded(text).match(/login\?t=3?D?=?(3D)?a-login-token/g)).toHaveLength(2)
  })

  it('sends every attempt at a mail with the same Message-ID and date', async () => {
    const smtp = await startSmtp()
    const mail = createSmtpMail({ url: smtp.url, from: 'Pairwire <hello@pairwire.example>' })

    await mail.send(aMail())
    await mail.send(aMail())

    const expected = '<2f0a3c5e-7a51-4f0e-9d0c-6f7f3a1b2c3d@pairwire.example>'
    expect(smtp.received.map(({ messageId }) => messageId)).toEqual([expected, expected])
    expect(smtp.received[1]!.text).toContain('Date: Tue, 03 Feb 2026 12:00:00 +0000')
  })

  it('signs a person in, from register call to session', async () => {
    const smtp = await startSmtp()
    const mail = createSmtpMail({ url: smtp.url, from: 'hello@pairwire.example' })
    const { register, post } = await createApiUnderTest({ mail, mailbox: undefined })

    const registered = await register()
    const text = unfolded(smtp.received[0]!.text).replaceAll('=3D', '=')
    const email_token = /login\?t=([\w-]+)/.exec(text)![1]
    const answer = await post('/api/authenticate', { email_token })

    expect(registered.statusCode).toBe(200)
    expect(answer.statusCode).toBe(200)
  })

  it('distinguishes a permanent refusal, of the address or of the mail, from a temporary one', async () => {
    const noMailbox = await startSmtp({ refusedRecipient: 'mara@example.com' })
    const tooLarge = await startSmtp({ answer: refusal(552) })
    const busy = await startSmtp({ answer: refusal(451) })
    const send = (url: string) => createSmtpMail({ url, from: 'hello@pairwire.example' }).send(aMail())

    await expect(send(noMailbox.url)).rejects.toBeInstanceOf(MailRefusedError)
    await expect(send(tooLarge.url)).rejects.toBeInstanceOf(MailRefusedError)
    await expect(send(busy.url)).rejects.toThrow()
    await expect(send(busy.url)).rejects.not.toBeInstanceOf(MailRefusedError)
  })

  it('fails temporarily if no server is running', async () => {
    const smtp = await startSmtp()
    await smtp.close()
    const mail = createSmtpMail({ url: smtp.url, from: 'hello@pairwire.example' })

    await expect(mail.send(aMail())).rejects.not.toBeInstanceOf(MailRefusedError)
  })

  it('times out on a server that says nothing', async () => {
    const port = await startSilentServer()
    const mail = createSmtpMail({
      url: `smtp://127.0.0.1:${port}`,
      from: 'hello@pairwire.example',
      timeoutMs: 50,
    })

    await expect(mail.send(aMail())).rejects.toThrow()
  })

  it('sends to one address only, whatever the text', async () => {
    const smtp = await startSmtp()
    const mail = createSmtpMail({ url: smtp.url, from: 'hello@pairwire.example' })

    await mail.send(aMail({ to: 'a@b.example,c@d.example' })).catch(() => {})
    await mail.send(aMail({ to: 'a@b.example>\r\nRCPT TO:<c@d.example' })).catch(() => {})

    expect(smtp.received.flatMap(({ to }) => to)).not.toContain('c@d.example')
  })
})

async function startSmtp(over: Parameters<typeof startSmtpDouble>[0] = {}) {
  const smtp = await startSmtpDouble(over)
  closers.push(smtp.close)
  return smtp
}

function refusal(responseCode: number) {
  return () => Promise.reject(Object.assign(new Error('no'), { responseCode }))
}

async function startSilentServer(): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    closers.push(async () => void socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => void server.close())
  return (server.address() as AddressInfo).port
}

/** Undoes the soft line breaks of quoted-printable, RFC 2045 section 6.7. */
function unfolded(text: string): string {
  return text.replaceAll('=\r\n', '')
}
