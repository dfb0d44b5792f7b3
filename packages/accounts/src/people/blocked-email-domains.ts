import { disposableEmailBlocklist } from 'disposable-email-domains-js'

/**
 * Domains of mailboxes that anyone can open for minutes and anonymously, and of forwarders that create unlimited addresses,
 * which the maintained list lacks.
 */
const MORE_DOMAINS = [
  '33mail.com',
  'anonaddy.me',
  'burnermail.io',
  'disposablemail.com',
  'emailtemp.org',
  'luxusmail.org',
  'mail-temp.com',
  'mailtemp.net',
  'spamgourmet.com',
  'temp-mail.io',
  'tempemail.co',
  'tempmail.com',
  'tempmail.dev',
  'tempmail.net',
  'tempmailid.com',
]

/** All of them, in lower case. */
export const BLOCKED_EMAIL_DOMAINS: ReadonlySet<string> = new Set([
  ...disposableEmailBlocklist(),
  ...MORE_DOMAINS,
])

/** Returns a test for emails of the built-in domains, of `more`, and of any subdomain of them. */
export function createBlockedEmailDomains(more: readonly string[] = []): (email: string) => boolean {
  const added = new Set(more.map((domain) => domain.trim().toLowerCase()))

  return (email) => {
    const labels = email
      .slice(email.lastIndexOf('@') + 1)
      .toLowerCase()
      .split('.')
    return labels.some((_, at) => {
      const domain = labels.slice(at).join('.')
      return BLOCKED_EMAIL_DOMAINS.has(domain) || added.has(domain)
    })
  }
}
