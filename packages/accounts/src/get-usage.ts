import { and, asc, eq, gte } from 'drizzle-orm'
import type { UsageDay } from './accounts.ts'
import { deliveredDays } from './schema.ts'
import type { Store } from './store.ts'

const DAY_MS = 24 * 60 * 60_000

/** Days of usage that are shown; see `Accounts.getUsage`. */
const USAGE_DAYS = 30

/** The first of the days that are shown, today being the last. */
export function firstUsageDay(now: Date): string {
  return new Date(now.getTime() - (USAGE_DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
}

/** See `Accounts.getUsage`. */
export async function getUsage({ db, now }: Store, accountId: string): Promise<UsageDay[]> {
  const rows = await db
    .select()
    .from(deliveredDays)
    .where(and(eq(deliveredDays.accountId, accountId), gte(deliveredDays.day, firstUsageDay(now()))))
    .orderBy(asc(deliveredDays.day))

  const days = new Map<string, { day: string; newPair: number; buy: number; sell: number }>()
  for (const { day, kind, count } of rows) {
    const counts = days.get(day) ?? { day, newPair: 0, buy: 0, sell: 0 }
    counts[kind] = count
    days.set(day, counts)
  }
  return [...days.values()].map(({ day, newPair, buy, sell }) => ({
    day,
    newPairs: newPair,
    buys: buy,
    sells: sell,
  }))
}
