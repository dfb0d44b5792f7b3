import { AppError, routes } from '@pairwire/contract'
import { createOrderAnswers } from '../history/order-answers.ts'
import { createShop } from '../history/shop.ts'
import { type ApiApp, asRoute, type RouteParts } from './api-route.ts'

/** Routes under /api/history: what can be ordered, and the signed-in user's orders. */
export function addHistoryRoutes(app: ApiApp, parts: RouteParts): void {
  const { accounts, archive, billing, hasPlaces, sourceKind: source, sessions, limits } = parts
  const shop = createShop({ ...parts, isSold: billing?.orders !== undefined })
  const answers = createOrderAnswers(archive, source)
  const signedIn = [sessions.require, limits.perAccount]

  app.route({
    ...asRoute(routes.history),
    onRequest: limits.statusPerAddress,
    handler: async ({ query }) => shop.read(query.to === undefined ? undefined : Date.parse(query.to)),
  })

  app.route({
    ...asRoute(routes.createOrder),
    onRequest: signedIn,
    handler: async ({ accountId, body }) => {
      if (!archive || !hasPlaces) throw new AppError('HISTORY_UNAVAILABLE', shop.closed)
      if (!billing?.orders) throw new AppError('ERR_UNAVAILABLE', shop.closed)
      const { offers } = await shop.read(body.to === undefined ? undefined : Date.parse(body.to))
      const { available, reason, to } = offers.find(({ id }) => id === body.offer)!
      if (!available) throw new AppError('HISTORY_UNAVAILABLE', reason ?? undefined)

      const order = await accounts.createOrder(accountId, { source, offer: body.offer, to: new Date(to) })
      const { transactionId } =
        order.provider === billing.provider
          ? order
          : await accounts.noteOrderTransaction(order.id, await billing.orders.createTransaction(order))
      const [answer] = await answers.all([order])
      return { order: answer!, checkout: await billing.orders.openCheckout(order, transactionId!) }
    },
  })

  app.route({
    ...asRoute(routes.listOrders),
    onRequest: signedIn,
    handler: async ({ accountId }) => answers.all(await accounts.listOrders(accountId)),
  })

  app.route<{ Params: { id: string } }>({
    ...asRoute(routes.getOrder),
    onRequest: signedIn,
    handler: async ({ accountId, params }) => {
      const order = await accounts.findOrder(accountId, /^[0-9]+$/.test(params.id) ? Number(params.id) : 0)
      if (!order) throw new AppError('ERR_NOT_FOUND', 'There is no such order.')
      if (order.status !== 'sample') return answers.withFiles(order)
      const sample = await answers.sample(order)
      if (!sample) throw new AppError('ERR_NOT_FOUND', 'There is no hour to sample yet.')
      return sample
    },
  })
}
