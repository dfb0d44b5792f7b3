import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import { composeLoginMail } from '../login-mail.ts'
import { createApiUnderTest } from '../testing/api-under-test.ts'
import { createSmtpMail } from './mail-smtp.ts'

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const MAIL = composeLoginMail('https://pairwire.example', {
  email: 'mara@example.com',
  token: 'a-login-token',
  expiresAt: new Date(0),
})

describe('mail over SMTP', () => {
  it('hands text and HTML to the server, from the configured address', async () => {
    const { port, received } = await startSmtpServer()
    const mail = createSmtpMail({
      url: `smtp://127.0.0.1:${port}`,
      from: 'Pairwire <hello@pairwire.example>',
    })

    await mail.send(MAIL)

    expect(received).toHaveLength(1)
    const [{ from, to, text }] = received as [Received]
    expect(from).toBe('hello@pairwire.example')
    expect(to).toEqual(['mara@example.com'])
    expect(text).toContain('Subject: Your Pairwire login link')
    expect(text).toContain('Content-Type: text/plain')
    expect(text).toContain('Content-Type: text/html')
    expect(unfolded(text)).toContain(MAIL.link.replace('=', '=3D'))
  })

  it('signs a person in, from register call to session', async () => {
    const { port, received } = await startSmtpServer()
    const mail = createSmtpMail({ url: `smtp://127.0.0.1:${port}`, from: 'hello@pairwire.example' })
    const { register, post } = await createApiUnderTest({ mail, mailbox: undefined })

    const registered = await register()
    const email_token = /login\?t=3?D?([\w%.-]+)/.exec(unfolded(received[0]!.text).replaceAll('=3D', '='))![1]
    const answer = await post('/api/authenticate', { email_token })

    expect(registered.statusCode).toBe(200)
    expect(answer.statusCode).toBe(200)
  })

  it('refuses when the server refuses the mail', async () => {
    const { port } = await startSmtpServer({ refuse: true })
    const mail = createSmtpMail({ url: `smtp://127.0.0.1:${port}`, from: 'hello@pairwire.example' })

    await expect(mail.send(MAIL)).rejects.toThrow()
  })

  it('refuses when no server is there', async () => {
    const { port, close } = await startSmtpServer()
    await close()
    const mail = createSmtpMail({ url: `smtp://127.0.0.1:${port}`, from: 'hello@pairwire.example' })

    await expect(mail.send(MAIL)).rejects.toThrow()
  })

  it('gives up a server that says nothing', async () => {
    const port = await startSilentServer()
    const mail = createSmtpMail({
      url: `smtp://127.0.0.1:${port}`,
      from: 'hello@pairwire.example',
      timeoutMs: 50,
    })

    await expect(mail.send(MAIL)).rejects.toThrow()
  })

  it('sends to one address only, whatever the text', async () => {
    const { port, received } = await startSmtpServer()
    const mail = createSmtpMail({ url: `smtp://127.0.0.1:${port}`, from: 'hello@pairwire.example' })

    await mail.send({ ...MAIL, to: 'a@b.example,c@d.example' }).catch(() => {})

    expect(received.flatMap(({ to }) => to)).not.toContain('c@d.example')
  })
})

type Received = { from: string; to: string[]; text: string }

async function startSmtpServer({ refuse = false } = {}) {
  const received: Received[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      let text = ''
      stream.on('data', (bytes) => {
        text += bytes
      })
      stream.on('end', () => {
        if (refuse) return done(Object.assign(new Error('mailbox full'), { responseCode: 552 }))
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text,
        })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  closers.push(close)
  return { port: (server.server.address() as AddressInfo).port, received, close }
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
