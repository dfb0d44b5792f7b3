/** Sends mails. The code that creates an adapter closes it. */
export type Mail = Readonly<{
  /**
   * Resolves once the mail is handed over. @throws MailRefusedError if it never will be, another error if it failed this time
   */
  send(message: MailMessage): Promise<void>
  close(): Promise<void>
}>

/** One mail to one person, as plain text and as HTML. */
export type MailMessage = Readonly<{
  /** Id of the mail, the same in every attempt. */
  id: string
  to: string
  subject: string
  text: string
  html: string
  /** The only link in the mail. */
  link: string
  /** When it was written. */
  date: Date
}>

/** The mail server has permanently refused this mail for this address. */
export class MailRefusedError extends Error {
  /** @param status the server's answer, three digits. @see RFC 5321 section 4.2.1 */
  constructor(status: number) {
    super(`The mail server rejected the mail permanently (${status}).`)
    this.name = 'MailRefusedError'
  }
}
