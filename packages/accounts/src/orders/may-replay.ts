import { HOUR_MS, type SourceKind } from '@pairwire/contract'
import { and, eq, gt, or } from 'drizzle-orm'
import { isAccountId } from '../database/account-id.ts'
import { orders } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { isOpen } from './settle-orders.ts'

/**
 * Whether the account has open orders for every hour of a source that begins before `to` and ends after `from` (Unix
 * milliseconds). The caller handles the sample, which everybody may play.
 */
export async function mayReplay(
  store: Store,
  accountId: string,
  source: SourceKind,
  from: number,
  to: number,
): Promise<boolean> {
  if (!isAccountId(accountId)) return false
  const windows = await store.db
    .select({ from: orders.from, to: orders.to })
    .from(orders)
    // The hours are compared here: PostgreSQL cannot read every time that a client may name, such as of the year 0.
    .where(and(isOpen(store), eq(orders.accountId, accountId), eq(orders.source, source)))
  for (let hour = from - (from % HOUR_MS); hour < to; hour += HOUR_MS) {
    if (!windows.some((window) => window.from.getTime() <= hour && hour < window.to.getTime())) return false
  }
  return true
}

/** Hours that must not be removed: `to` is the end of the last one. */
export type NeededHours = Readonly<{ source: SourceKind; from: Date; to: Date }>

/** Milliseconds for which an unpaid order keeps its hours from being removed. */
const JUST_MADE_MS = HOUR_MS

/** Lists the hours that orders need: those of downloadable orders, and of orders created within the last hour. */
export async function listNeededHours(store: Store): Promise<NeededHours[]> {
  const { source, from, to } = orders
  const isNew = gt(orders.createdAt, new Date(store.now().getTime() - JUST_MADE_MS))
  return store.db
    .selectDistinct({ source, from, to })
    .from(orders)
    .where(or(isOpen(store), isNew))
}
