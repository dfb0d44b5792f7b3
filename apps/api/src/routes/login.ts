import { routes } from '@pairwire/contract'
import { type ApiApp, asRoute, DONE, type RouteParts } from './api-route.ts'

/** Signing in by mail, and out: a link for a known email, its token for a session, and the session's end. */
export function addLoginRoutes(app: ApiApp, parts: RouteParts): void {
  const { accounts, sessions, limits } = parts

  app.route({
    ...asRoute(routes.login),
    onRequest: limits.perAddress,
    handler: async (request) => {
      const { email } = request.body
      const { hasFreshLink } = await accounts.findLogin(email)
      const share = await limits.mailShare(request)
      // If strangers have used up the email's share, its owner got their links; an owner without a fresh link gets one.
      const isWithheld = share === 'address_used' || (share === 'email_used' && hasFreshLink)
      // Queues the mail: the answer does not wait for a mail server.
      if (!isWithheld) await accounts.requestLogin(email)
      return DONE
    },
  })

  app.route({
    ...asRoute(routes.authenticate),
    onRequest: limits.linksPerAddress,
    handler: async (request) => {
      const session = await accounts.exchangeLoginToken(request.body.email_token)
      return { token: await sessions.issue(session) }
    },
  })

  // Outside the account's rate, or a stolen session could use that up to survive: each can be ended only once.
  app.route({
    ...asRoute(routes.logout),
    onRequest: sessions.require,
    handler: async (request) => {
      await sessions.end(request)
      return {}
    },
  })

  app.route({
    ...asRoute(routes.logoutAll),
    onRequest: sessions.require,
    handler: async ({ accountId }) => {
      await sessions.endAll(accountId)
      return {}
    },
  })
}
