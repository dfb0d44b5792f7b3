import { randomUUID } from 'node:crypto'
import { codeOf, messageOf } from '@pairwire/basics'
import { isPrivateHost } from '@pairwire/process'
import { MailRefusedError } from '../../adapters/mail.ts'
import { type Checks, type Finding, fail, ok, together, warn } from './check.ts'
import type { DoctorParts } from './doctor-parts.ts'
import { checkMailDns } from './mail-dns-check.ts'

/** Milliseconds for the mail server: less than a check has. */
const ANSWER_MS = 4_000

/** What to do, by nodemailer's code of a failure. */
const FIXES: Readonly<Record<string, string>> = {
  EAUTH: 'Correct user and password in SMTP_URL, with @ written as %40 and / as %2F.',
  EDNS: 'Correct the host in SMTP_URL.',
  ETLS: 'Name the mail server in SMTP_URL as its certificate does.',
  EENVELOPE:
    'Let the mail server allow the sender in MAIL_FROM, and name an address that exists in --mail-to.',
}

const UNREACHABLE =
  'Correct host and port in SMTP_URL (587 with smtp://, 465 with smtps://), and let this machine connect to it: many hosters block mail until they are asked.'

/** Checks of emails. */
export function mailChecks(parts: DoctorParts): Checks {
  return { mail: () => checkMail(parts), 'mail-dns': () => checkMailDns(parts) }
}

async function checkMail({ config, mailTo }: DoctorParts): Promise<Finding> {
  const { smtpUrl, mailFrom, publicUrl } = config
  if (!smtpUrl) {
    if (config.isLocal) return ok(`Emails are shown at ${publicUrl}/dev/mail and on the terminal.`)
    return warn('Emails are neither sent nor shown.', 'Set SMTP_URL and MAIL_FROM to your mail server.')
  }
  const { hostname } = new URL(smtpUrl)
  const { createSmtpMail } = await import('../../adapters/mail-smtp.ts')
  const mail = createSmtpMail({ url: smtpUrl, from: mailFrom, timeoutMs: ANSWER_MS })
  try {
    const isEncrypted = await mail.verify()
    if (mailTo) await mail.send(aTestMail(mailTo, publicUrl))
    return together(
      [
        !isEncrypted &&
          !isPrivateHost(hostname) &&
          warn(
            `${hostname} does not encrypt: the password and every sign-in link can be read on the way.`,
            'Use a port with TLS: smtps:// with 465, or smtp:// with 587.',
          ),
      ],
      `${hostname} answers and accepts the login${mailTo ? `, and took an email to ${mailTo}` : ''}.`,
    )
  } catch (error) {
    return fail(`The mail server ${hostname} cannot be used: ${messageOf(error)}`, fixOf(error))
  } finally {
    await mail.close()
  }
}

function fixOf(error: unknown): string {
  if (error instanceof MailRefusedError) return FIXES.EENVELOPE!
  return (/certificate/i.test(messageOf(error)) ? FIXES.ETLS : FIXES[codeOf(error) ?? '']) ?? UNREACHABLE
}

function aTestMail(to: string, link: string) {
  const text = `This email was sent by the doctor of ${link}. If you can read it, emails arrive.`
  return {
    ...{ id: randomUUID(), date: new Date(), to, subject: `Emails of ${link} arrive`, link },
    ...{ text, html: `<p>${text}</p>` },
  }
}
