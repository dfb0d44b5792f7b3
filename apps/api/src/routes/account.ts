import type { ProviderSubscription } from '@pairwire/accounts'
import { AppError, routes } from '@pairwire/contract'
import type { Billing } from '../adapters/billing.ts'
import { SANDBOX } from '../adapters/billing-sandbox.ts'
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

/** @throws AppError ACTIVE_SUBSCRIPTION, whose sentence the dashboard shows */
async function endAtProvider(
  billing: Billing | undefined,
  subscription: ProviderSubscription,
): Promise<void> {
  // No money moves in the sandbox, and its subscriptions are deleted with the account.
  if (subscription.provider === SANDBOX) return
  try {
    if (!billing) throw new AppError('ERR_UNAVAILABLE')
    await billing.endSubscription(subscription)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError('ACTIVE_SUBSCRIPTION', STILL_CHARGED)
  }
}

const STILL_CHARGED =
  'The payment provider did not end your subscription and could still charge you, so nothing was deleted. Try again in a minute.'
