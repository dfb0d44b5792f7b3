import { routes } from '@pairwire/contract'
import { type ApiApp, DONE, type RouteParts } from './api-route.ts'

/** POST /api/login queues a link for a known email; POST /api/authenticate changes its token for a session. */
export function addLoginRoutes(app: ApiApp, parts: RouteParts): void {
  const { accounts, sessions, limits } = parts

  app.route({
    method: routes.login.method,
    url: routes.login.path,
    schema: { body: routes.login.body, response: { 200: routes.login.answer } },
    onRequest: limits.perAddress,
    preHandler: limits.perEmail,
    handler: async (request) => {
      // Queues the mail; whoever waits for an answer does not wait for a mail server.
      await accounts.requestLogin(request.body.email)
      return DONE
    },
  })

  app.route({
    method: routes.authenticate.method,
    url: routes.authenticate.path,
    schema: { body: routes.authenticate.body, response: { 200: routes.authenticate.answer } },
    onRequest: limits.perAddress,
    handler: async (request) => {
      const { accountId } = await accounts.exchangeLoginToken(request.body.email_token)
      return { token: await sessions.issue(accountId) }
    },
  })
}
