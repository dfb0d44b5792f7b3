import { createOrderOperations } from './order-operations.ts'
import type { NamesOf, Runs } from './run.ts'

/** Verbs on orders of history. */
export const orderRuns: Runs<NamesOf<'order'>> = {
  async *'order create'({ who, ...wanted }, parts) {
    yield await createOrderOperations(parts).create(who, wanted, parts.by)
  },
  async 'order list'({ state, account, limit, cursor }, parts) {
    const accountId = account === undefined ? undefined : await parts.accounts.findWhoId(account)
    const before = cursor === undefined ? undefined : Number(cursor)
    const rows = (await createOrderOperations(parts).list(state, accountId, before)).slice(0, limit)
    return { rows, next: rows.length < limit ? null : String(rows.at(-1)!.id) }
  },
  async *'order show'({ id }, parts) {
    yield await createOrderOperations(parts).show(id)
  },
  async *'order refund'({ id }, parts) {
    yield await createOrderOperations(parts).refund(id, parts.by)
  },
}
