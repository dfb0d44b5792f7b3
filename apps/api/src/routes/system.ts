import { type PublicConfig, routes } from '@pairwire/contract'
import { createLocalCheck } from '@pairwire/process'
import { composeSystemStatus } from '../system-status.ts'
import type { ApiApp, RouteParts } from './api-route.ts'

/** GET /api/systemstatus and GET /api/config: what the browser learns before anyone signs in. */
export function addSystemRoutes(app: ApiApp, parts: RouteParts): void {
  const settings = publicConfig(parts)
  const isFromHere = createLocalCheck(parts)

  app.route({
    method: routes.systemStatus.method,
    url: routes.systemStatus.path,
    schema: { response: { 200: routes.systemStatus.answer } },
    handler: () => composeSystemStatus(parts.notices.standing(), parts.sourceState(), parts.simulated),
  })

  app.route({
    method: routes.config.method,
    url: routes.config.path,
    schema: { response: { 200: routes.config.answer } },
    handler: (request) =>
      parts.mailbox && isFromHere(request) ? { ...settings, devMailbox: '/dev/mail' } : settings,
  })
}

function publicConfig(parts: RouteParts): PublicConfig {
  const { streamUrl, simulated, production, captcha, billing, statusUrl, supportEmail, links, thirdParties } =
    parts
  return {
    streamUrl,
    simulated,
    production,
    captcha: { provider: captcha.provider, ...(captcha.siteKey && { siteKey: captcha.siteKey }) },
    ...(billing && { payment: billing.settings }),
    statusUrl,
    supportEmail,
    links: { ...links },
    ...(Object.keys(thirdParties).length > 0 && { thirdParties }),
  }
}
