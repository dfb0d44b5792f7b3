import { HOUR_MS } from '@pairwire/contract'
import { expect } from 'vitest'
import { type AccountsUnderTest, START } from './accounts-under-test.ts'
import { anOrderEvent, bought } from './an-order-event.ts'

/** The day before the start, of the chain. */
export const WANTED = { source: 'chain', offer: 'day', to: new Date(START) } as const

/** A day that ends so many hours before the start. */
export const ended = (hours: number) => ({ ...WANTED, to: new Date(START - hours * HOUR_MS) })

/** Makes orders of `accounts`, and reads them. */
export function someOrders(accounts: AccountsUnderTest['accounts']) {
  /** An order that waits for its payment. */
  const anOrder = async (
    accountId: string,
    transactionId = 'txn_1',
    wanted = WANTED as typeof WANTED | ReturnType<typeof ended>,
  ) => {
    const { id } = await accounts.createOrder(accountId, wanted)
    await accounts.noteOrderTransaction(id, { provider: 'paddle', transactionId, priceId: 'pri_day' })
    return id
  }
  const aPaidOrder = async (accountId: string, transactionId = 'txn_1') => {
    const id = await anOrder(accountId, transactionId)
    await accounts.applyOrderEvent(anOrderEvent(transactionId, 0, bought()))
    return id
  }
  const order = async (accountId: string, id: number) => {
    const found = await accounts.findOrder(accountId, id)
    if (!found || found.status === 'sample') return expect.fail('there is no such order')
    return found
  }
  return { anOrder, aPaidOrder, order }
}
