import { createTransport } from 'nodemailer'
import type { Mail } from './mail.ts'

/** Milliseconds for one step of the conversation with the mail server. */
const STEP_TIMEOUT_MS = 5_000

/** Milliseconds for a mail as a whole: the dashboard gives a call up after 10 s and should get an answer. */
const SEND_TIMEOUT_MS = 8_000

/**
 * Sends by SMTP, one connection a mail.
 *
 * @param parts.url `smtp://user:password@host:port`, or `smtps://` for TLS from the first byte
 * @param parts.from for example `Pairwire <hello@pairwire.example>`
 */
export function createSmtpMail(parts: { url: string; from: string; timeoutMs?: number }): Mail {
  const timeoutMs = parts.timeoutMs ?? SEND_TIMEOUT_MS
  const transport = createTransport({
    url: parts.url,
    connectionTimeout: Math.min(STEP_TIMEOUT_MS, timeoutMs),
    greetingTimeout: Math.min(STEP_TIMEOUT_MS, timeoutMs),
    socketTimeout: Math.min(STEP_TIMEOUT_MS, timeoutMs),
    disableFileAccess: true,
    disableUrlAccess: true,
  })

  return {
    async send(message) {
      const sending = transport.sendMail({
        from: parts.from,
        // As an object, so that the address is never read as a list of addresses.
        to: { name: '', address: message.to },
        subject: message.subject,
        text: message.text,
        html: message.html,
      })
      await within(timeoutMs, sending)
    },
    async close() {
      transport.close()
    },
  }
}

/** Gives up waiting, not the mail: it may still arrive. */
async function within(timeoutMs: number, sending: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The mail server did not answer in ${timeoutMs} ms.`)),
      timeoutMs,
    )
  })
  try {
    await Promise.race([sending, late])
  } finally {
    clearTimeout(timer)
  }
}
