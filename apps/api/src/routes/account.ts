import { routes } from '@pairwire/contract'
import { endAtProvider } from '../adapters/end-at-provider.ts'
import { type ApiApp, asRoute, DONE, type RouteParts } from './api-route.ts'

/** The signed-in user's account: read it, end its connections, change its key, delete it. */
export function addAccountRoutes(app: ApiApp, parts: RouteParts): void {
  const { accounts, bus, billing, sessions, limits } = parts
  const signedIn = [sessions.require, limits.perAccount]

  app.route({
    ...asRoute(routes.getAccount),
    onRequest: signedIn,
    handler: (request) => accounts.getAccount(request.accountId),
  })

  app.route({
    ...asRoute(routes.disconnect),
    onRequest: signedIn,
    handler: async ({ accountId }) => {
      await bus.sendControl({ type: 'disconnect', accountId })
      return DONE
    },
  })

  app.route({
    ...asRoute(routes.resetKey),
    onRequest: signedIn,
    handler: async ({ accountId }) => {
      await accounts.resetKey(accountId)
      await bus.sendControl({ type: 'keyReset', accountId })
      return DONE
    },
  })

  app.route({
    ...asRoute(routes.deleteAccount),
    onRequest: signedIn,
    handler: async ({ accountId }) => {
      await accounts.deleteAccount(accountId, (subscription) => endAtProvider(billing, subscription))
      sessions.forget()
      await bus.sendControl({ type: 'accountDeleted', accountId })
      return DONE
    },
  })
}
