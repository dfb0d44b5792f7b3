import type { KnownOrder, OwnedOrder } from '@pairwire/accounts'
import { AppError, type OrderBody } from '@pairwire/contract'
import type { ApiParts } from '../parts.ts'
import { takeWebhook } from '../take-webhook.ts'
import { createShop } from './shop.ts'

/** Dependencies of the operator's verbs on orders. */
export type OrderOperationParts = Pick<
  ApiParts,
  | 'accounts'
  | 'archive'
  | 'billing'
  | 'bus'
  | 'clock'
  | 'elapsed'
  | 'hasPlaces'
  | 'log'
  | 'simulated'
  | 'sourceKind'
>

/** An order as one line of JSON; without its token. */
export type PrintedOrder = Readonly<Record<string, unknown>>

/** The operator's verbs on orders. Each throws an AppError on a refusal. */
export function createOrderOperations(parts: OrderOperationParts) {
  const { accounts, billing, sourceKind: source } = parts

  const find = async (id: number): Promise<KnownOrder> => {
    const order = await accounts.readKnownOrder(id)
    if (!order) throw new AppError('ERR_NOT_FOUND', `There is no order ${id}.`)
    return order
  }

  return {
    /** Grants hours for free, if they exist. */
    async create(email: string, { offer, to }: OrderBody): Promise<PrintedOrder> {
      const shop = createShop({ ...parts, isSold: true })
      const { offers } = await shop.read(to === undefined ? undefined : Date.parse(to))
      const window = offers.find(({ id }) => id === offer)!
      if (!window.available) throw new AppError('HISTORY_UNAVAILABLE', window.reason ?? undefined)
      const { id } = await accounts.grantOrder(email, { source, offer, to: new Date(window.to) })
      return print(await find(id))
    },
    list: async (status: OwnedOrder['status'] | undefined): Promise<PrintedOrder[]> =>
      (await accounts.listAllOrders(status)).map(print),
    show: async (id: number): Promise<PrintedOrder> => print(await find(id)),

    /** Requests a full refund of an order, which stays valid until the refund is reported. */
    async refund(id: number): Promise<PrintedOrder> {
      const order = await find(id)
      const refusal = refusalOf(order, billing?.provider)
      if (refusal) throw new AppError('ERR_VALIDATION', `Order ${id} ${refusal}.`)
      for (const { body, signature } of await billing!.refundOrder(order)) {
        await takeWebhook(parts, billing!, Buffer.from(body), signature)
      }
      return print(await find(id))
    },
  }
}

/** Why an order cannot be refunded; undefined if it can. */
function refusalOf({ state, provider }: KnownOrder, here: string | undefined): string | undefined {
  if (state === 'refunded') return 'is already refunded'
  if (state === 'awaiting_payment' || state === 'lapsed') return 'is not paid'
  if (provider === null) return 'was granted for free, so there is nothing to refund'
  return provider === here ? undefined : `was paid for with ${provider}, which is not used here now`
}

function print({ downloadToken: _token, state: _state, ...order }: OwnedOrder | KnownOrder): PrintedOrder {
  if (!('events' in order)) return order
  // JSON has no integers of that size.
  return { ...order, events: order.events.map((event) => ({ ...event, amount: event.amount?.toString() })) }
}
