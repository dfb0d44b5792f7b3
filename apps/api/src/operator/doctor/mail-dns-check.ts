import { codeOf } from '@pairwire/basics'
import { createResolver } from '../../ask-ourselves.ts'
import { type Finding, fail, skipped, together, warn } from './check.ts'
import type { DoctorParts } from './doctor-parts.ts'

/** Where mail providers put their keys, by the host of their servers: the names before `._domainkey`. */
const SELECTORS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(google|gmail)\.com$/, ['google']],
  [/\boffice365\.com$/, ['selector1', 'selector2']],
  [/\bmessagingengine\.com$/, ['fm1', 'fm2', 'fm3']],
  [/\bsendgrid\.net$/, ['s1', 's2', 'm1']],
  [/\bmailgun\.org$/, ['mx', 'k1', 'smtp', 'mailo', 'pic']],
  [/\bresend\.com$/, ['resend']],
  [/\b(brevo|sendinblue)\.com$/, ['brevo1', 'brevo2', 'mail']],
]

/** Checks what the DNS says of the sender's domain. */
export async function checkMailDns({ config, nameServers }: DoctorParts): Promise<Finding> {
  const { smtpUrl, mailFrom } = config
  const domain = /@([\w.-]+)>?\s*$/.exec(mailFrom)?.[1] ?? ''
  if (!smtpUrl || !domain.includes('.')) return skipped('No emails leave this machine.')
  const resolver = createResolver(nameServers)
  const readTexts = async (name: string): Promise<string[]> => {
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
    } catch (error) {
      if (codeOf(error) === 'ENOTFOUND' || codeOf(error) === 'ENODATA') return []
      throw error
    }
  }
  const above = domain.split('.').map((_, at, labels) => labels.slice(at).join('.')) // as receivers walk up
  const selectors = SELECTORS.find(([host]) => host.test(new URL(smtpUrl).hostname))?.[1] ?? []
  try {
    const [texts, ...policies] = await Promise.all([
      readTexts(domain),
      ...above.slice(0, -1).map((name) => readTexts(`_dmarc.${name}`)),
    ])
    const keys = await Promise.all(selectors.map((name) => readTexts(`${name}._domainkey.${domain}`)))
    const senders = texts.filter((text) => /^v=spf1\b/i.test(text))
    return together(
      [
        senders.length === 0 &&
          warn(
            `${domain} does not say who may send its emails (SPF).`,
            `Add a TXT record for ${domain}, as your mail provider shows it: v=spf1 include:<provider> ~all.`,
          ),
        senders.length > 1 &&
          fail(
            `${domain} has ${senders.length} SPF records, so none counts.`,
            `Join the TXT records of ${domain} that begin with v=spf1 into one.`,
          ),
        selectors.length > 0 &&
          keys.flat().length === 0 &&
          warn(
            `${domain} has no key of this mail provider (DKIM).`,
            'Turn DKIM on at the mail provider, and add the records that it shows.',
          ),
        !policies.flat().some((text) => /^v=DMARC1\b/i.test(text)) &&
          warn(
            `${domain} has no policy for forged emails (DMARC).`,
            `Add a TXT record for _dmarc.${domain}: v=DMARC1; p=none.`,
          ),
      ],
      `${domain} has SPF${selectors.length > 0 ? ', DKIM' : ''} and DMARC.`,
    )
  } catch (error) {
    return fail(
      `The DNS does not answer for ${domain}: ${codeOf(error) ?? 'no answer'}.`,
      'Correct the name servers of this machine, in /etc/resolv.conf, or let a firewall pass port 53.',
    )
  }
}
