import { randomInt } from 'node:crypto'
import { AppError, HISTORY_OFFERS, type HistoryOffer, HOUR_MS, type SourceKind } from '@pairwire/contract'
import { and, eq, isNull, ne, or } from 'drizzle-orm'
import { type Actor, withAct } from '../acts/acts.ts'
import { lockAccount } from '../database/lock-account.ts'
import type { Queries } from '../database/open-database.ts'
import { orders } from '../database/schema.ts'
import { lockWho } from '../people/find-who.ts'
import { insistNotSuspended } from '../people/suspend.ts'
import { commit, type Store } from '../store.ts'
import { holdTransaction, refoldOrder } from './apply-order-event.ts'
import { type HistoryOrder, selectOrders, toHistoryOrder } from './history-order.ts'
import type { ProviderTransaction } from './order-event.ts'

/** Hours to order: those of `offer` up to `to`, a whole hour. The caller checks that they exist. */
export type WantedHours = Readonly<{ source: SourceKind; offer: HistoryOffer['id']; to: Date }>

/** Unpaid orders at a time. */
const UNPAID_MAX = 5

/**
 * Creates an order that waits for its payment, or finds the one that waits for the same hours.
 *
 * @throws AppError ERR_RATE_LIMITED beyond {@link UNPAID_MAX}, ERR_LOGIN_REQUIRED, ACCOUNT_SUSPENDED
 */
export async function createOrder(
  store: Store,
  accountId: string,
  wanted: WantedHours,
): Promise<HistoryOrder> {
  const order = await commit(store, async (tx) => {
    await lockAccount(tx, accountId)
    await insistNotSuspended(tx, accountId)
    const isUnpaid = and(eq(orders.accountId, accountId), eq(orders.state, 'awaiting_payment'))
    const { source, offer, to } = wanted
    const [same] = await selectOrders(tx).where(
      and(isUnpaid, eq(orders.source, source), eq(orders.offer, offer), eq(orders.to, to)),
    )
    if (same) return toHistoryOrder(store, same)

    if ((await tx.$count(orders, isUnpaid)) >= UNPAID_MAX) {
      throw new AppError(
        'ERR_RATE_LIMITED',
        `${UNPAID_MAX} orders wait for their payment. Pay for one of them first.`,
      )
    }
    return insertOrder(store, tx, accountId, wanted, { state: 'awaiting_payment' })
  })
  return order!
}

/**
 * Stores the payment that the provider has created for an order, and its price, also in place of an unpaid one of a provider
 * that was used before. Of two concurrent calls both get the payment that was stored first. Earlier reports on it count now.
 */
export async function noteOrderTransaction(
  store: Store,
  orderId: number,
  { provider, transactionId, priceId }: ProviderTransaction & Readonly<{ priceId: string }>,
): Promise<ProviderTransaction> {
  return commit(store, async (tx) => {
    await holdTransaction(tx, { provider, transactionId })
    const isOthers = and(ne(orders.provider, provider), eq(orders.state, 'awaiting_payment'))
    const noted = await tx
      .update(orders)
      .set({ provider, transactionId, priceId })
      .where(and(eq(orders.id, orderId), or(isNull(orders.transactionId), isOthers)))
      .returning()
    const [row] = noted.length > 0 ? noted : await tx.select().from(orders).where(eq(orders.id, orderId))
    if (!row?.provider || !row.transactionId) throw new AppError('ERR_NOT_FOUND')
    const transaction = { provider: row.provider, transactionId: row.transactionId }
    await refoldOrder(store, tx, transaction)
    return transaction
  })
}

/** Gives an account a free order, paid from now on. @throws ERR_NOT_FOUND for an unknown account */
export async function grantOrder(
  store: Store,
  who: string,
  wanted: WantedHours,
  by?: Actor,
): Promise<HistoryOrder> {
  return withAct(store, by, async (tx, note) => {
    const { accountId } = await lockWho(store, tx, who)
    const paid = { state: 'paid', paidAt: store.now(), usd: 0 } as const
    const order = await insertOrder(store, tx, accountId, wanted, paid)
    note({ accountId, changes: { order: [null, order.id], offer: [null, wanted.offer] } })
    return order
  })
}

/** Numbers to try: one in nine hundred is taken after a million orders. */
const TRIES = 20

async function insertOrder(
  store: Store,
  queries: Queries,
  accountId: string,
  { source, offer, to }: WantedHours,
  over: Pick<typeof orders.$inferInsert, 'state'> & Partial<typeof orders.$inferInsert>,
): Promise<HistoryOrder> {
  const { hours, usd } = HISTORY_OFFERS.find(({ id }) => id === offer)!
  const from = new Date(to.getTime() - hours * HOUR_MS)
  const wanted = { accountId, source, offer, from, to, usd, createdAt: store.now(), ...over }
  for (let tries = 0; tries < TRIES; tries++) {
    const [row] = await queries
      .insert(orders)
      .values({ id: randomInt(1e8, 1e9), ...wanted })
      .onConflictDoNothing({ target: orders.id })
      .returning()
    const order = row && toHistoryOrder(store, { ...row, downloadedHours: 0 })
    if (order) return order
  }
  throw new Error(`all ${TRIES} order numbers tried were taken`)
}
