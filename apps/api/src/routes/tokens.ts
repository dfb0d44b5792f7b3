import { routes } from '@pairwire/contract'
import type { ApiApp, RouteParts } from './api-route.ts'

/** GET /api/tokens: details of tokens, by their mints. */
export function addTokenRoutes(app: ApiApp, { lookUpTokens, sessions, limits }: RouteParts): void {
  app.route({
    method: routes.tokens.method,
    url: routes.tokens.path,
    schema: { querystring: routes.tokens.query, response: { 200: routes.tokens.answer } },
    onRequest: [sessions.require, limits.perAccount],
    handler: async ({ query }) => ({ tokens: await lookUpTokens(query.mints) }),
  })
}
