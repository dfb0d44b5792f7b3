import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAccount } from './operator.ts'
import { freshEmail } from './people.ts'
import { type Service, startService } from './service.ts'
import { READY_MS, STORY_MS } from './story-time.ts'

const mails: string[] = []
let smtp = createSmtpServer()
let port: number
let service: Service

beforeAll(async () => {
  smtp.listen(0, '127.0.0.1')
  await once(smtp.server, 'listening')
  port = (smtp.server.address() as AddressInfo).port
  service = await startService({
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'Pairwire <hello@pairwire.example>',
  })
})
afterAll(async () => {
  await service?.kill()
  await closeSmtp()
})

describe('mail over a real SMTP server', { timeout: STORY_MS }, () => {
  it('brings a login link that signs in once, and only once', async () => {
    const email = freshEmail()
    await makeAccount(service, email)

    const asked = await call('/api/login', { email })
    expect(asked.status).toBe(200)
    await expect.poll(() => mailsTo(email)).toHaveLength(1)
    const [mail] = mailsTo(email)
    const token = readToken(mail!)
    const first = await call('/api/authenticate', { email_token: token })
    const second = await call('/api/authenticate', { email_token: token })

    expect(mail).toContain('Content-Type: text/plain')
    expect(mail).toContain('Content-Type: text/html')
    expect(first.status).toBe(200)
    expect(second.status).toBe(401)
    const { token: session } = (await first.json()) as { token: string }
    const account = await fetch(`${service.url}/api/account`, {
      headers: { authorization: `Bearer ${session}` },
    })
    expect(((await account.json()) as { user: { Email: string } }).user.Email).toBe(email)
  })

  it('waits while the mail server is away, and arrives once it is back', async () => {
    const email = freshEmail()
    await makeAccount(service, email)
    await closeSmtp()

    const asked = await call('/api/login', { email })
    await expect.poll(() => service.output()).toContain('A mail could not be sent.')
    smtp = createSmtpServer()
    smtp.listen(port, '127.0.0.1')
    await expect.poll(() => mailsTo(email), { timeout: READY_MS }).toHaveLength(1)
    const signedIn = await call('/api/authenticate', { email_token: readToken(mailsTo(email)[0]!) })

    expect(asked.status).toBe(200)
    expect(signedIn.status).toBe(200)
  })

  it('never prints a link or a token to the log', () => {
    for (const mail of mails) expect(service.output()).not.toContain(readToken(mail))
    expect(service.output()).not.toContain('?t=')
  })
})

function createSmtpServer(): SMTPServer {
  return new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 50,
    onData(stream, _session, done) {
      let text = ''
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.once('end', () => {
        mails.push(text)
        done()
      })
    },
  })
}

function closeSmtp(): Promise<void> {
  return new Promise((resolve) => smtp.close(() => resolve()))
}

function mailsTo(email: string): string[] {
  return mails.filter((mail) => mail.includes(`To: ${email}`))
}

function call(path: string, body: unknown): Promise<Response> {
  return fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** The token of the link in a mail; quoted-printable breaks long lines with `=` and writes `=` as `=3D`. */
function readToken(mail: string): string {
  const plain = mail.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  const token = /\/dashboard\/login\?t=([\w-]+)/.exec(plain)?.[1]
  if (!token) throw new Error('No link in the mail.')
  return token
}
