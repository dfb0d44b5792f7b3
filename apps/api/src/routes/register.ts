import { AppError, routes } from '@pairwire/contract'
import { type ApiApp, asRoute, DONE, type RouteParts } from './api-route.ts'

/** POST /api/register creates an account and queues its welcome mail; GET /api/captcha returns a challenge. */
export function addRegisterRoutes(app: ApiApp, parts: RouteParts): void {
  const { accounts, captcha, limits, registration } = parts

  app.route({
    ...asRoute(routes.register),
    // A call with other wrong fields uses up the challenge too.
    attachValidation: true,
    onRequest: limits.perAddress,
    handler: async (request) => {
      if (registration === 'closed') throw new AppError('REGISTRATION_CLOSED')
      const captchaFault = await captcha.verify(captchaToken(request.body), request.ip).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (request.validationError) throw request.validationError
      if (captchaFault) throw captchaFault

      const { email, origin, enable_marketing_emails } = request.body
      await accounts.register({ email, origin, enableMarketingEmails: enable_marketing_emails })
      // Only counted: an account's first link is never withheld.
      await limits.mailShare(request)
      return DONE
    },
  })

  app.route({
    ...asRoute(routes.captcha),
    onRequest: limits.captchaPerAddress,
    handler: async (request) => {
      if (!captcha.challenge) throw new AppError('ERR_NOT_FOUND')
      return captcha.challenge(await limits.challengeLevel(request))
    },
  })
}

/** The token of a body of any shape; empty, and so refused, if there is none. */
function captchaToken(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('recaptcha_token' in body)) return ''
  return typeof body.recaptcha_token === 'string' ? body.recaptcha_token.slice(0, 16_384) : ''
}
