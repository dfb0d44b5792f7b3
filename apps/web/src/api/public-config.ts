import type { PublicConfig } from '@pairwire/contract'

/**
 * The settings in `answer`, with defaults of the same origin for whatever is missing or of another form, so
 * that the pages work before `/api/config` has answered and where it never does.
 */
export function readPublicConfig(
  answer: unknown,
  origin: Readonly<{ protocol: string; host: string; hostname: string }>,
): PublicConfig {
  const config = readRecord(answer)
  const captcha = readRecord(config.captcha)
  const links = readRecord(config.links)
  const siteKey = readText(captcha.siteKey)
  const devMailbox = readAddress(config.devMailbox, '')
  return {
    streamUrl: readStreamUrl(config.streamUrl, origin),
    simulated: config.simulated === true,
    production: config.production === true,
    captcha: {
      provider: captcha.provider === 'recaptcha' ? 'recaptcha' : 'altcha',
      ...(siteKey ? { siteKey } : {}),
    },
    ...readPayment(config),
    statusUrl: readAddress(config.statusUrl, '/status'),
    supportEmail: readText(config.supportEmail) || `support@${origin.hostname}`,
    links: {
      discord: readAddress(links.discord, 'https://discord.com/'),
      github: readAddress(links.github, 'https://github.com/'),
      x: readAddress(links.x, 'https://x.com/'),
      reddit: readAddress(links.reddit, 'https://www.reddit.com/'),
    },
    ...readThirdParties(config.thirdParties),
    ...(devMailbox ? { devMailbox } : {}),
  }
}

/** Only names that can stand in an address as they are. */
function readThirdParties(value: unknown): Pick<PublicConfig, 'thirdParties'> {
  const parties = readRecord(value)
  const sentryDsn = readText(parties.sentryDsn)
  const crispWebsiteId = readText(parties.crispWebsiteId)
  const clarityProjectId = readText(parties.clarityProjectId)
  const thirdParties = {
    ...(/^https:\/\/\w+@/.test(sentryDsn) ? { sentryDsn } : {}),
    ...(/^[\w-]+$/.test(crispWebsiteId) ? { crispWebsiteId } : {}),
    ...(/^\w+$/.test(clarityProjectId) ? { clarityProjectId } : {}),
  }
  return Object.keys(thirdParties).length > 0 ? { thirdParties } : {}
}

/** Outside production plans are paid for on the service's own pages unless it says otherwise. */
function readPayment({ payment, production }: Record<string, unknown>): Pick<PublicConfig, 'payment'> {
  const { provider, environment, clientToken, prices } = readRecord(payment)
  if (provider === 'paddle' && readText(clientToken)) {
    const ids = readRecord(prices)
    return {
      payment: {
        provider,
        environment: environment === 'production' ? 'production' : 'sandbox',
        clientToken: readText(clientToken),
        prices: { 1: readText(ids[1]), 2: readText(ids[2]), 3: readText(ids[3]) },
      },
    }
  }
  if (provider === 'sandbox' || (payment === undefined && production !== true)) {
    return { payment: { provider: 'sandbox' } }
  }
  return {}
}

function readStreamUrl(value: unknown, origin: Readonly<{ protocol: string; host: string }>): string {
  const text = readText(value)
  if (/^wss?:\/\//.test(text)) return text
  return `${origin.protocol === 'https:' ? 'wss' : 'ws'}://${origin.host}/`
}

/** Only addresses of pages: a link must never become a script. */
function readAddress(value: unknown, fallback: string): string {
  const text = readText(value)
  return /^(https?:\/\/|\/(?!\/))/.test(text) ? text : fallback
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

function readRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {} // any name may be asked
}
