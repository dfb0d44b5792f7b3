import { codeOf, systemClock, withTimeout } from '@pairwire/basics'
import { createTransport } from 'nodemailer'
import { type Mail, MailRefusedError } from './mail.ts'

/** Milliseconds to connect and be greeted: short, so that a server that is down costs little before the next attempt. */
const GREETING_TIMEOUT_MS = 10_000

/**
 * Milliseconds of silence in the conversation. Long, since a server may have accepted the mail before it answers, and giving
 * up then would send the mail twice. @see RFC 5321 section 4.5.3.2.6
 */
const SILENCE_TIMEOUT_MS = 2 * 60_000

/** Milliseconds for a mail as a whole. */
const SEND_TIMEOUT_MS = 5 * 60_000

/**
 * Sends by SMTP, one connection a mail.
 *
 * @param parts.url `smtp://user:password@host:port`, or `smtps://` for TLS from the first byte
 * @param parts.from for example `Pairwire <hello@pairwire.example>`
 */
export function createSmtpMail(parts: { url: string; from: string; timeoutMs?: number }): Mail &
  Readonly<{
    /** Connects and signs in. @returns whether that was encrypted @throws the library's error, with its code */
    verify(): Promise<boolean>
  }> {
  const timeoutMs = parts.timeoutMs ?? SEND_TIMEOUT_MS
  const options = {
    url: parts.url,
    connectionTimeout: Math.min(GREETING_TIMEOUT_MS, timeoutMs),
    greetingTimeout: Math.min(GREETING_TIMEOUT_MS, timeoutMs),
    socketTimeout: Math.min(SILENCE_TIMEOUT_MS, timeoutMs),
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  const transport = createTransport(options)
  const domain = domainOf(parts.from)

  return {
    async send(message) {
      const sending = transport.sendMail({
        from: parts.from,
        // As an object, so that the address is never parsed as a list of addresses.
        to: { name: '', address: message.to },
        subject: message.subject,
        text: message.text,
        html: message.html,
        date: message.date,
        messageId: `<${message.id}@${domain}>`,
        // Keeps vacation replies from answering. @see RFC 3834 section 5
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      try {
        // Stops waiting; the mail may still arrive.
        await withTimeout(sending, systemClock, timeoutMs)
      } catch (error) {
        const status = finalStatus(error)
        throw status === undefined ? error : new MailRefusedError(status)
      }
    },
    async verify() {
      try {
        return await createTransport({ ...options, requireTLS: true }).verify()
      } catch (error) {
        if (codeOf(error) !== 'ETLS') throw error
        await transport.verify()
        return false
      }
    },
    async close() {
      transport.close()
    },
  }
}

/** The domain of the sender's address, which identifies the issuer of the Message-ID. */
function domainOf(from: string): string {
  return /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
}

/** The server's answer if it permanently refuses this address or this text, not us. */
function finalStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('responseCode' in error) || !('command' in error)) return undefined
  const { responseCode, command } = error
  const isOfTheMail = command === 'RCPT TO' || command === 'DATA'
  return typeof responseCode === 'number' && responseCode >= 500 && isOfTheMail ? responseCode : undefined
}
