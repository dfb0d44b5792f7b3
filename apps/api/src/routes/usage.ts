import { AppError, routes, type UsageDay } from '@pairwire/contract'
import { composeConnections } from '../connections.ts'
import { lastDays } from '../day-text.ts'
import { type ApiApp, asRoute, DONE, type RouteParts } from './api-route.ts'

/** The signed-in user's usage and stream connections. */
export function addUsageRoutes(app: ApiApp, parts: RouteParts): void {
  const { accounts, bus, clock, openStreams, sourceState, sessions, limits } = parts
  const signedIn = [sessions.require, limits.perAccount]

  app.route({
    ...asRoute(routes.usage),
    onRequest: signedIn,
    handler: async ({ accountId }) => {
      return { days: everyDay(await accounts.getUsage(accountId), clock()) }
    },
  })

  app.route({
    ...asRoute(routes.connections),
    onRequest: signedIn,
    handler: async ({ accountId }) => {
      // Gateways record ended connections before they list the open ones.
      const streams = await openStreams(accountId)
      const connections = composeConnections(streams, await accounts.listConnections(accountId), clock())
      return { ...connections, isFlowing: sourceState().up }
    },
  })

  app.route({
    ...asRoute(routes.closeConnection),
    onRequest: signedIn,
    handler: async ({ accountId, body }) => {
      const { open, missing } = await openStreams(accountId)
      // A gateway that did not answer may hold it, and gets the message anyway.
      if (missing.length === 0 && !open.some(({ id }) => id === body.id)) {
        throw new AppError('ERR_NOT_FOUND', 'This connection is already closed.')
      }
      await bus.sendControl({ type: 'closeConnection', accountId, connectionId: body.id })
      return DONE
    },
  })
}

const DAYS = 30

/** The last 30 days, without omissions. */
function everyDay(days: readonly UsageDay[], now: number): UsageDay[] {
  const known = new Map(days.map((day) => [day.day, day]))
  return lastDays(DAYS, now).map((day) => known.get(day) ?? { day, newPairs: 0, buys: 0, sells: 0 })
}
