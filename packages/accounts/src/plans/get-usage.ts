import { DAY_MS, type UsageDay as InAnswer } from '@pairwire/contract'
import { and, asc, eq, gte } from 'drizzle-orm'
import { deliveredDays } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** Events sent to an account on a UTC day. */
export type UsageDay = Readonly<{ [Member in keyof InAnswer]-?: NonNullable<InAnswer[Member]> }>

/** Days of usage shown; see `Accounts.getUsage`. */
const USAGE_DAYS = 30

/** The first of the days shown, today being the last. */
export function firstUsageDay(now: Date): string {
  return new Date(now.getTime() - (USAGE_DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
}

/** Reads the events sent to the account on each of the last 30 UTC days, oldest first; days without events are omitted. */
export async function getUsage({ db, now }: Store, accountId: string): Promise<UsageDay[]> {
  const rows = await db
    .select()
    .from(deliveredDays)
    .where(and(eq(deliveredDays.accountId, accountId), gte(deliveredDays.day, firstUsageDay(now()))))
    .orderBy(asc(deliveredDays.day))

  const days = new Map<string, { -readonly [Member in keyof UsageDay]: UsageDay[Member] }>()
  for (const { day, kind, count, http, webhooks } of rows) {
    const counts = days.get(day) ?? { day, newPairs: 0, buys: 0, sells: 0, http: 0, webhooks: 0 }
    counts[`${kind}s`] = count
    counts.http += http
    counts.webhooks += webhooks
    days.set(day, counts)
  }
  return [...days.values()]
}
