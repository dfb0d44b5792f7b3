import type { Mail, MailMessage } from './mail.ts'

/** A mail adapter that stores its mails for `/dev/mail`. */
export type Mailbox = Mail & Readonly<{ list(): readonly KeptMail[] }>

/** A mail with the moment at which it was sent, in Unix milliseconds. */
export type KeptMail = MailMessage & Readonly<{ at: number }>

/** Mails kept; a forgotten development service must not grow for ever. */
const KEPT_MAILS = 200

/**
 * Sends no mail: prints address, subject and link with `print` and keeps the newest 200 mails. For development only, since a
 * login link is as good as a password.
 */
export function createDevMail(parts: { clock: () => number; print: (line: string) => void }): Mailbox {
  const kept: KeptMail[] = []

  return {
    async send(message) {
      kept.unshift({ ...message, at: parts.clock() })
      kept.length = Math.min(kept.length, KEPT_MAILS)
      parts.print(`Mail to ${message.to}: ${message.subject}\n  ${message.link}`)
    },
    async close() {},
    list: () => kept,
  }
}
