/** Sends mails. The code that makes an adapter closes it. */
export type Mail = Readonly<{
  /**
   * Resolves when the mail was handed over. @throws MailRefusedError when it never will be, another error when it
   * was not this time
   */
  send(message: MailMessage): Promise<void>
  close(): Promise<void>
}>

/** One mail to one person, as plain text and as HTML. */
export type MailMessage = Readonly<{
  /** Names the mail, in every try of it. */
  id: string
  to: string
  subject: string
  text: string
  html: string
  /** The one link that the mail is about. */
  link: string
  /** When it was written. */
  date: Date
}>

/** The mail server has said that it will never take this mail for this address. */
export class MailRefusedError extends Error {
  /** @param status the server's answer, three digits. @see RFC 5321 section 4.2.1 */
  constructor(status: number) {
    super(`The mail server rejected the mail permanently (${status}).`)
    this.name = 'MailRefusedError'
  }
}
