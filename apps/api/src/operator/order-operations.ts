import type { Actor, KnownOrder, OwnedOrder } from '@pairwire/accounts'
import { AppError, type OrderBody } from '@pairwire/contract'
import type { KnownOrderRow, OwnedOrderRow } from '@pairwire/contract/operator'
import { createShop } from '../history/shop.ts'
import type { ApiParts } from '../parts.ts'
import { takeWebhook } from '../take-webhook.ts'
import { actOutside } from './act-outside.ts'
import { withTimes } from './with-times.ts'

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
    async create(who: string, { offer, to }: OrderBody, by?: Actor): Promise<KnownOrderRow> {
      const shop = createShop({ ...parts, isSold: true })
      const { offers } = await shop.read(to === undefined ? undefined : Date.parse(to))
      const window = offers.find(({ id }) => id === offer)!
      if (!window.available) throw new AppError('HISTORY_UNAVAILABLE', window.reason ?? undefined)
      const { id } = await accounts.grantOrder(who, { source, offer, to: new Date(window.to) }, by)
      return toKnownRow(await find(id))
    },
    list: async (...wanted: Parameters<typeof accounts.listAllOrders>): Promise<OwnedOrderRow[]> =>
      (await accounts.listAllOrders(...wanted)).map(toRow),
    show: async (id: number): Promise<KnownOrderRow> => toKnownRow(await find(id)),

    /** Requests a full refund of an order, which stays valid until the refund is reported; one act before, one after. */
    async refund(id: number, by?: Actor): Promise<KnownOrderRow> {
      const order = await find(id)
      const refusal = refusalOf(order, billing?.provider)
      if (refusal) throw new AppError('ERR_VALIDATION', `Order ${id} ${refusal}.`)
      const act = { accountId: order.accountId, changes: { order: [id, 'refund'] } }
      await actOutside(accounts, by, act, async () => {
        for (const { body, signature } of await billing!.refundOrder(order)) {
          await takeWebhook(parts, billing!, Buffer.from(body), signature)
        }
      })
      return toKnownRow(await find(id))
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

/** An order as JSON; without its token. */
function toRow({ downloadToken: _token, state: _state, ...order }: OwnedOrder): OwnedOrderRow {
  return withTimes(order)
}

function toKnownRow(order: KnownOrder): KnownOrderRow {
  return {
    ...toRow(order),
    events: order.events.map(({ amount, ...event }) => ({
      ...withTimes(event),
      // JSON has no integers of that size.
      ...(amount !== null && { amount: amount.toString() }),
    })),
  }
}
