import type { MoneyMonth } from '@pairwire/accounts'
import type { ApiParts } from '../parts.ts'

/** Milliseconds for which figures of money are cached: computing them reads all kept reports. */
const MONEY_MS = 60_000

/** A function that reads the figures of the running month. */
export function createMoneyNow(parts: Pick<ApiParts, 'accounts' | 'clock'>): ApiParts['moneyNow'] {
  let readAt = Number.NEGATIVE_INFINITY
  let month: Promise<MoneyMonth> | undefined
  return () => {
    const now = parts.clock()
    // Neither a clock that was set back nor a database that was away keeps them for longer.
    if (month && now >= readAt && now - readAt < MONEY_MS) return month
    readAt = now
    month = parts.accounts.readMoney({ until: new Date(now), months: 1 }).then(([running]) => running!)
    month.catch(() => (month = undefined))
    return month
  }
}
