import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail as the double accepted it. */
type ReceivedMail = Readonly<{ from: string; to: readonly string[]; messageId: string; text: string }>

/** A mail server on this machine that keeps the mails it accepts. */
type SmtpDouble = Readonly<{
  url: string
  received: readonly ReceivedMail[]
  /** Resolves once `count` mails have been accepted. */
  gets(count: number): Promise<void>
  close(): Promise<void>
}>

/**
 * Starts a mail server.
 *
 * @param over.answer its answer to an accepted mail; by default success at once. An error refuses the mail with its
 * `responseCode`; a promise that never resolves leaves the sender without an answer.
 * @param over.refusedRecipient an address that it does not know
 * @param over.password the only one that it accepts; by default nobody can sign in
 * @param over.hasTls whether it offers STARTTLS, with a certificate that nobody signed
 */
export async function startSmtpDouble(
  over: {
    answer?: (mail: ReceivedMail) => Promise<void>
    refusedRecipient?: string
    port?: number
    password?: string
    hasTls?: boolean
  } = {},
): Promise<SmtpDouble> {
  const received: ReceivedMail[] = []
  const watchers = new Set<() => void>()
  const server = new SMTPServer({
    disabledCommands: [...(over.password ? [] : ['AUTH']), ...(over.hasTls ? [] : ['STARTTLS'])],
    authOptional: true,
    allowInsecureAuth: true,
    onAuth({ password }, _session, done) {
      if (password === over.password) done(null, { user: 'mara' })
      else done(Object.assign(new Error('wrong password'), { responseCode: 535 }))
    },
    closeTimeout: 50,
    onRcptTo({ address }, _session, done) {
      if (address !== over.refusedRecipient) return done()
      done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
    },
    onData(stream, session, done) {
      let text = ''
      stream.on('data', (bytes) => {
        text += bytes
      })
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const mail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          messageId: /^Message-ID: (.+)$/im.exec(text)?.[1]?.trim() ?? '',
          text,
        }
        received.push(mail)
        for (const look of watchers) look()
        Promise.resolve(over.answer?.(mail)).then(() => done(), done)
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(over.port ?? 0, '127.0.0.1', resolve))
  // It listens on a port, not on a file.
  const { port } = server.server.address() as AddressInfo

  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    gets: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
