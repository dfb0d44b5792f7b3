import { routes } from '@pairwire/contract'
import { type ApiApp, asRoute, type RouteParts } from './api-route.ts'

/** GET /api/tokens: details of tokens, by their mints. */
export function addTokenRoutes(app: ApiApp, { lookUpTokens, sessions, limits }: RouteParts): void {
  app.route({
    ...asRoute(routes.tokens),
    onRequest: [sessions.require, limits.perAccount],
    handler: async ({ query }) => ({ tokens: await lookUpTokens(query.mints) }),
  })
}
