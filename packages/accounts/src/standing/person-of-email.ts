/** Domains of one provider that ignores dots before the `@`. @see https://support.google.com/mail/answer/7436150 */
const GOOGLE_DOMAINS = new Set(['gmail.com', 'googlemail.com'])

/**
 * The person behind an address, as far as it shows: without the tag after a `+`, which nearly all providers deliver to the
 * mailbox before it (RFC 5233), and at Gmail without dots and with its first domain. For trials only: people sign in with the
 * address as they typed it.
 */
export function personOfEmail(emailNormalised: string): string {
  const at = emailNormalised.lastIndexOf('@')
  const typed = emailNormalised.slice(0, at)
  const domain = emailNormalised.slice(at + 1)
  // An address of only a tag or dots is kept as it is.
  const mailbox = typed.split('+')[0] || typed
  if (!GOOGLE_DOMAINS.has(domain)) return `${mailbox}@${domain}`
  return `${mailbox.replaceAll('.', '') || mailbox}@gmail.com`
}
