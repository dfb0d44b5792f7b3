import { createOrderOperations } from './order-operations.ts'
import type { NamesOf, Runs } from './run.ts'

/** Verbs on orders of history. */
export const orderRuns: Runs<NamesOf<'order'>> = {
  async *'order create'({ who, ...wanted }, parts) {
    yield await createOrderOperations(parts).create(who, wanted, parts.by)
  },
  async 'order list'({ state, account, limit }, parts) {
    const accountId = account === undefined ? undefined : await parts.accounts.findWhoId(account)
    const orders = await createOrderOperations(parts).list(state, accountId)
    return { rows: orders.slice(0, limit), next: null }
  },
  async *'order show'({ id }, parts) {
    yield await createOrderOperations(parts).show(id)
  },
  async *'order refund'({ id }, parts) {
    yield await createOrderOperations(parts).refund(id, parts.by)
  },
}
