import { PLANS, routes, type ServedConfig, TRIAL } from '@pairwire/contract'
import { createLocalCheck } from '@pairwire/process'
import { furtherTexts } from '../pages/brand/brand-look.ts'
import { clusterOf, composeSystemStatus, isMadeUp } from '../system-status.ts'
import { type ApiApp, asRoute, type RouteParts } from './api-route.ts'

/** GET /api/systemstatus and GET /api/config: the browser's settings before anyone signs in. */
export function addSystemRoutes(app: ApiApp, parts: RouteParts): void {
  const isFromHere = createLocalCheck(parts)

  app.route({
    ...asRoute(routes.systemStatus),
    handler: () => composeSystemStatus(parts.notices.standing(), parts.sourceState(), parts.simulated),
  })

  app.route({
    ...asRoute(routes.config),
    handler: (request) => ({
      ...publicConfig(parts),
      ...(parts.mailbox && isFromHere(request) ? { devMailbox: '/dev/mail' } : {}),
    }),
  })
}

function publicConfig(parts: RouteParts): ServedConfig {
  const { streamUrl, simulated, production, captcha, billing, statusUrl, supportEmail, links, thirdParties } =
    parts
  const { registration, brand } = parts
  const documents = furtherTexts(brand)
  const source = parts.sourceState()
  const cluster = clusterOf(source)
  return {
    streamUrl,
    simulated: isMadeUp(source, simulated),
    ...(cluster && { cluster }),
    production,
    captcha: { provider: captcha.provider, ...(captcha.siteKey && { siteKey: captcha.siteKey }) },
    ...(billing && { payment: billing.settings }),
    statusUrl,
    supportEmail,
    ...(registration === 'closed' && { registration }),
    ...(documents.length > 0 && { documents }),
    links: { ...links },
    ...(brand.isOwn && { name: brand.name }),
    ...(Object.keys(brand.figures).length > 0 && { plans: [...PLANS], trialDays: TRIAL.days }),
    ...(Object.keys(thirdParties).length > 0 && { thirdParties }),
  }
}
