/** Sends mails. Whoever makes an adapter closes it. */
export type Mail = Readonly<{
  /** Resolves when the mail was handed over. @throws when it was not, within 8 s. */
  send(message: MailMessage): Promise<void>
  close(): Promise<void>
}>

/** One mail to one person, as plain text and as HTML. */
export type MailMessage = Readonly<{
  to: string
  subject: string
  text: string
  html: string
  /** The one link that the mail is about. */
  link: string
}>
