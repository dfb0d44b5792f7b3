import { routes } from '@pairwire/contract'
import { createFilterTrials } from '../history/filter-trial.ts'
import { type ApiApp, asRoute, type RouteParts } from './api-route.ts'

/** POST /api/filter/try: what a filter would have matched over the last hours. */
export function addFilterRoutes(app: ApiApp, parts: RouteParts): void {
  const trials = createFilterTrials(parts)
  app.route({
    ...asRoute(routes.tryFilter),
    onRequest: [parts.sessions.require, parts.limits.triesPerAccount],
    handler: async ({ accountId, body }) => {
      await parts.accounts.checkNotSuspended(accountId)
      return trials.try(accountId, body)
    },
  })
}
