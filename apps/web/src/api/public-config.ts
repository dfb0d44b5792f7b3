import { PublicConfig } from '@pairwire/contract/answers'
import { partial } from 'zod/mini'
import { tryAnswer } from './read-answer.ts'

/** Any of the settings may be missing. */
const Given = partial(PublicConfig)

/**
 * Reads the settings in `answer`, with same-origin defaults for missing or invalid ones, so that the pages work before
 * `/api/config` has answered and if it never does.
 */
export function readPublicConfig(
  answer: unknown,
  origin: Readonly<{ protocol: string; host: string; hostname: string }>,
): PublicConfig {
  const given = tryAnswer(Given, answer) ?? {}
  const { captcha, links, production = false } = given
  const payment =
    given.payment ?? (isUntold(answer) && !production ? { provider: 'sandbox' as const } : undefined)
  const devMailbox = readAddress(given.devMailbox, '')
  return {
    streamUrl: readStreamUrl(given.streamUrl, origin),
    simulated: given.simulated ?? false,
    ...(given.cluster ? { cluster: given.cluster } : {}),
    production,
    captcha: captcha ?? { provider: 'altcha' },
    ...(payment && (payment.provider !== 'paddle' || payment.clientToken) && { payment }),
    statusUrl: readAddress(given.statusUrl, '/status'),
    supportEmail: given.supportEmail || `support@${origin.hostname}`,
    ...(given.documents && { documents: given.documents }),
    ...(given.registration && { registration: given.registration }),
    links: {
      discord: readAddress(links?.discord, 'https://discord.com/'),
      github: readAddress(links?.github, 'https://github.com/'),
      x: readAddress(links?.x, 'https://x.com/'),
      reddit: readAddress(links?.reddit, 'https://www.reddit.com/'),
    },
    ...readThirdParties(given.thirdParties),
    ...(devMailbox ? { devMailbox } : {}),
  }
}

/** Outside production, plans are by default paid for on the service's own pages. */
function isUntold(answer: unknown): boolean {
  return !(
    typeof answer === 'object' &&
    answer !== null &&
    'payment' in answer &&
    answer.payment !== undefined
  )
}

/** Only names that are valid in an address unchanged. */
function readThirdParties(given: PublicConfig['thirdParties'] = {}): Pick<PublicConfig, 'thirdParties'> {
  const { sentryDsn = '', crispWebsiteId = '', clarityProjectId = '' } = given
  const thirdParties = {
    ...(/^https:\/\/\w+@/.test(sentryDsn) ? { sentryDsn } : {}),
    ...(/^[\w-]+$/.test(crispWebsiteId) ? { crispWebsiteId } : {}),
    ...(/^\w+$/.test(clarityProjectId) ? { clarityProjectId } : {}),
  }
  return Object.keys(thirdParties).length > 0 ? { thirdParties } : {}
}

function readStreamUrl(
  given: string | undefined,
  origin: Readonly<{ protocol: string; host: string }>,
): string {
  if (given && /^wss?:\/\//.test(given)) return given
  return `${origin.protocol === 'https:' ? 'wss' : 'ws'}://${origin.host}/`
}

/** Only page addresses: a link must never become a script. */
function readAddress(given: string | undefined, fallback: string): string {
  return given && /^(https?:\/\/|\/(?!\/))/.test(given) ? given : fallback
}
