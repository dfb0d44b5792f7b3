import type { KnownOrder, OwnedOrder } from '@pairwire/accounts'
import { AppError } from '@pairwire/contract'
import type { KnownOrderRow, OwnedOrderRow } from '@pairwire/contract/operator'
import { createShop } from '../history/shop.ts'
import type { ApiParts } from '../parts.ts'
import { takeWebhook } from '../take-webhook.ts'
import { actOutside } from './act-outside.ts'
import type { NamesOf, Runs } from './run.ts'
import { withTimes } from './with-times.ts'

/** Verbs on orders of history. */
export const orderRuns: Runs<NamesOf<'order'>> = {
  /** Grants hours for free, if they exist. */
  async *'order create'({ who, offer, to }, parts) {
    const { accounts, by, sourceKind: source } = parts
    const shop = createShop({ ...parts, isSold: true })
    const { offers } = await shop.read(to === undefined ? undefined : Date.parse(to))
    const window = offers.find(({ id }) => id === offer)!
    if (!window.available) throw new AppError('HISTORY_UNAVAILABLE', window.reason ?? undefined)
    const { id } = await accounts.grantOrder(who, { source, offer, to: new Date(window.to) }, by)
    yield toKnownRow(await find(accounts, id))
  },
  async 'order list'({ state, account, limit, cursor }, { accounts }) {
    const accountId = account === undefined ? undefined : await accounts.findWhoId(account)
    const before = cursor === undefined ? undefined : Number(cursor)
    const rows = (await accounts.listAllOrders(state, accountId, before)).slice(0, limit).map(toRow)
    return { rows, next: rows.length < limit ? null : String(rows.at(-1)!.id) }
  },
  async *'order show'({ id }, { accounts }) {
    yield toKnownRow(await find(accounts, id))
  },
  /** Requests a full refund of an order, which stays valid until the refund is reported; one act before, one after. */
  async *'order refund'({ id }, parts) {
    const { accounts, billing, by } = parts
    const order = await find(accounts, id)
    const refusal = refusalOf(order, billing?.provider)
    if (refusal) throw new AppError('ERR_VALIDATION', `Order ${id} ${refusal}.`)
    const act = { accountId: order.accountId, changes: { order: [id, 'refund'] } }
    await actOutside(accounts, by, act, async () => {
      for (const { body, signature } of await billing!.refundOrder(order)) {
        await takeWebhook(parts, billing!, Buffer.from(body), signature)
      }
    })
    yield toKnownRow(await find(accounts, id))
  },
}

/** @throws ERR_NOT_FOUND */
async function find(accounts: Pick<ApiParts['accounts'], 'readKnownOrder'>, id: number): Promise<KnownOrder> {
  const order = await accounts.readKnownOrder(id)
  if (!order) throw new AppError('ERR_NOT_FOUND', `There is no order ${id}.`)
  return order
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
