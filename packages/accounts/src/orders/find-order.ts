import { isApiKey, SAMPLE_ORDER } from '@pairwire/contract'
import { and, eq } from 'drizzle-orm'
import { isAccountId } from '../database/account-id.ts'
import { accounts, orders } from '../database/schema.ts'
import { insistNotSuspended } from '../people/suspend.ts'
import type { Store } from '../store.ts'
import {
  type HistoryOrder,
  type SampleOrder,
  sampleOrder,
  selectOrders,
  toHistoryOrder,
} from './history-order.ts'
import { isSameToken, orderToken, readOrderToken } from './order-token.ts'

/** Finds an order of this account by its number; number 1 is the sample. */
export async function findOrder(
  store: Store,
  accountId: string,
  orderId: number,
): Promise<HistoryOrder | SampleOrder | undefined> {
  if (!isAccountId(accountId)) return undefined
  if (orderId === SAMPLE_ORDER) return sampleOrder(store, accountId)
  // PostgreSQL refuses to compare numbers beyond the column's range.
  if (!Number.isInteger(orderId) || orderId < 0 || orderId >= 1e9) return undefined
  const [row] = await selectOrders(store.db).where(
    and(eq(orders.id, orderId), eq(orders.accountId, accountId)),
  )
  return row && toHistoryOrder(store, row)
}

/** An order as an API key may see it. The key needs an account, not a plan. */
export type OrderOfKey =
  | Readonly<{ outcome: 'found'; order: HistoryOrder | SampleOrder }>
  | Readonly<{ outcome: 'unknown_key' }>
  /** No order has this number, or it is another account's. */
  | Readonly<{ outcome: 'not_found'; accountId: string }>

/** Finds an order by its number, for the account with this API key. @throws ACCOUNT_SUSPENDED */
export async function findOrderOfKey(store: Store, key: string, orderId: number): Promise<OrderOfKey> {
  if (!isApiKey(key)) return { outcome: 'unknown_key' }
  const [account] = await store.db
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.keyHash, store.secrets.hashKey(key)))
  if (!account) return { outcome: 'unknown_key' }
  await insistNotSuspended(store.db, account.id)
  const order = await findOrder(store, account.id, orderId)
  return order ? { outcome: 'found', order } : { outcome: 'not_found', accountId: account.id }
}

/**
 * Finds the order of a download token, whatever its status: only one that is `paid`, `failed` or `sample` may be downloaded.
 * Undefined for a forged token, and once the account is gone.
 *
 * @throws ACCOUNT_SUSPENDED
 */
export async function findOrderByToken(
  store: Store,
  token: string,
): Promise<HistoryOrder | SampleOrder | undefined> {
  const named = readOrderToken(token)
  if (!named) return undefined
  const accountId = named.sampleOf ?? (await ownerOf(store, named.orderId))
  if (!accountId || !isSameToken(token, orderToken(store.secrets, named.orderId, accountId))) return undefined
  const isThere = await insistNotSuspended(store.db, accountId)
  return isThere ? findOrder(store, accountId, named.orderId) : undefined
}

async function ownerOf({ db }: Store, orderId: number): Promise<string | null | undefined> {
  const [row] = await db.select({ accountId: orders.accountId }).from(orders).where(eq(orders.id, orderId))
  return row?.accountId
}
