import { routes } from '@pairwire/contract'
import { endAtProvider } from '../adapters/end-at-provider.ts'
import { type ApiApp, DONE, type RouteParts } from './api-route.ts'

/** The signed-in user's account: read it, end its connections, change its key, delete it. */
export function addAccountRoutes(app: ApiApp, parts: RouteParts): void {
  const { accounts, bus, billing, sessions, limits } = parts
  const signedIn = [sessions.require, limits.perAccount]

  app.route({
    method: routes.getAccount.method,
    url: routes.getAccount.path,
    schema: { response: { 200: routes.getAccount.answer } },
    onRequest: signedIn,
    handler: (request) => accounts.getAccount(request.accountId),
  })

  app.route({
    method: routes.disconnect.method,
    url: routes.disconnect.path,
    schema: { response: { 200: routes.disconnect.answer } },
    onRequest: signedIn,
    handler: async ({ accountId }) => {
      await bus.sendControl({ type: 'disconnect', accountId })
      return DONE
    },
  })

  app.route({
    method: routes.resetKey.method,
    url: routes.resetKey.path,
    schema: { response: { 200: routes.resetKey.answer } },
    onRequest: signedIn,
    handler: async ({ accountId }) => {
      await accounts.resetKey(accountId)
      await bus.sendControl({ type: 'keyReset', accountId })
      return DONE
    },
  })

  app.route({
    method: routes.deleteAccount.method,
    url: routes.deleteAccount.path,
    schema: { response: { 200: routes.deleteAccount.answer } },
    onRequest: signedIn,
    handler: async ({ accountId }) => {
      await accounts.deleteAccount(accountId, (subscription) => endAtProvider(billing, subscription))
      sessions.forget()
      await bus.sendControl({ type: 'accountDeleted', accountId })
      return DONE
    },
  })
}
