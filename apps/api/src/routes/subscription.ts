import { routes } from '@pairwire/contract'
import type { ApiApp, RouteParts } from './api-route.ts'

/** Routes under /api/subscription: start the free trial. */
export function addSubscriptionRoutes(app: ApiApp, { accounts, bus, sessions, limits }: RouteParts): void {
  app.route({
    method: routes.startTrial.method,
    url: routes.startTrial.path,
    schema: { body: routes.startTrial.body, response: { 200: routes.startTrial.answer } },
    onRequest: [sessions.require, limits.perAccount],
    handler: async (request) => {
      const { accountId } = request
      const account = await accounts.startTrial(accountId, request.body.plan_id)
      await bus.sendControl({ type: 'planChanged', accountId })
      return account
    },
  })
}
