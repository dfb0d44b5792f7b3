import { AppError, planById, routes } from '@pairwire/contract'
import { identify } from '../plugins/faces.ts'
import { isMadeUp } from '../system-status.ts'
import { type ApiApp, asRoute, type RouteParts } from './api-route.ts'

/** Routes under /api/subscription: start the free trial, pay for a plan, manage the paid one. */
export function addSubscriptionRoutes(app: ApiApp, parts: RouteParts): void {
  const { accounts, bus, billing, sessions, limits } = parts
  const signedIn = [sessions.require, limits.perAccount]

  app.route({
    ...asRoute(routes.startTrial),
    onRequest: signedIn,
    handler: async (request) => {
      const { accountId } = request
      const account = await accounts.startTrial(accountId, request.body.plan_id)
      await bus.sendControl({ type: 'planChanged', accountId })
      return account
    },
  })

  if (!billing) return

  app.route({
    ...asRoute(routes.manageSubscription),
    onRequest: signedIn,
    handler: async ({ accountId }) => {
      const { user, paidSubscription } = await accounts.getAccount(accountId)
      if (paidSubscription?.forbidManageSubscription) {
        throw new AppError('ERR_FORBIDDEN', 'Support manages this plan.')
      }
      const subscription = await accounts.getPaidSubscription(accountId)
      if (!subscription) throw new AppError('ERR_NOT_FOUND', 'There is no paid plan to manage.')
      return { url: await billing.openPortal(subscription, user.Email) }
    },
  })

  const { openCheckout } = billing
  if (!openCheckout) return

  app.route({
    ...asRoute(routes.checkout),
    onRequest: signedIn,
    handler: async ({ accountId, body }) => {
      await accounts.checkNotSuspended(accountId)
      const { paidSubscription } = await accounts.getAccount(accountId)
      if (paidSubscription) throw new AppError('SUBSCRIPTION_EXISTS')
      return { url: await openCheckout(accountId, body.plan_id) }
    },
  })
}

/** GET /v1/plan: what the plan of a key allows, so that a program knows before it subscribes. */
export function addKeyPlanRoute(app: ApiApp, parts: RouteParts): void {
  app.route({
    ...asRoute(routes.keyPlan),
    onRequest: [identify(parts), parts.limits.perFaceAccount],
    handler: async ({ accountId }) => {
      const found = await parts.accounts.authorizeAccount(accountId)
      const plan = found.outcome === 'allowed' && planById(found.planId)
      return {
        plan: plan ? { ...plan, connections: found.connectionLimit } : null,
        simulated: isMadeUp(parts.sourceState(), parts.simulated),
      }
    },
  })
}
