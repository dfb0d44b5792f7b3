import type { MoneyMonth } from '@pairwire/accounts'
import type { ApiParts } from '../parts.ts'

/** Milliseconds for which figures of money are given again: all kept reports are read for them. */
const MONEY_MS = 60_000

/** A function that reads the figures of the running month. */
export function createMoneyNow({
  accounts,
  clock,
}: Pick<ApiParts, 'accounts' | 'clock'>): ApiParts['moneyNow'] {
  let readAt = Number.NEGATIVE_INFINITY
  let month: Promise<MoneyMonth> | undefined
  return () => {
    if (month && clock() - readAt < MONEY_MS) return month
    readAt = clock()
    month = accounts.readMoney({ until: new Date(readAt), months: 1 }).then(([running]) => running!)
    return month
  }
}
