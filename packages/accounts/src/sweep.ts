import { and, eq, isNull, lt, lte, sql } from 'drizzle-orm'
import { sweepActs } from './acts/acts.ts'
import {
  billingEvents,
  deliveredCounts,
  deliveredDays,
  loginTokens,
  mails,
  sessions,
  usedCaptchas,
} from './database/schema.ts'
import { oldestInBooks, sweepFormerPeople } from './money/leave-money.ts'
import { sweepOperators } from './operators/operator-sessions.ts'
import { sweepOrderEvents } from './orders/nobodys-money.ts'
import { firstUsageDay } from './plans/get-usage.ts'
import { sweepConnections } from './seats/stream-connections.ts'
import { sweepGateways } from './seats/stream-seats.ts'
import { sweepNotices } from './status-items.ts'
import type { Store } from './store.ts'

/** Milliseconds for which a report waits for the one that names its owner; providers try for days. */
const STRAY_MS = 30 * 24 * 60 * 60_000

/** Milliseconds for which a charge is kept that is nobody’s here: its account left no other report, or there is no order. */
const GONE_MS = 366 * 24 * 60 * 60_000

/** Milliseconds for which sent mails are kept; longer than any notice's occasion lasts. */
const MAIL_KEPT_MS = 90 * 24 * 60 * 60_000

/**
 * Deletes expired tokens, sessions and captchas, reports of payments whose owner was never named or left long ago, old mails,
 * usage, connections and notices that are no longer shown, and rows that a gateway wrote for an account just after its deletion.
 * Call it now and then.
 */
export async function sweep({ db, now: readClock }: Store): Promise<void> {
  const now = readClock()
  await db.delete(loginTokens).where(lte(loginTokens.expiresAt, now))
  await db.delete(sessions).where(lte(sessions.expiresAt, now))
  await db.delete(usedCaptchas).where(lte(usedCaptchas.expiresAt, now))
  for (const [accountGone, keptMs] of [
    [false, STRAY_MS],
    [true, GONE_MS],
  ] as const) {
    const isOld = lte(billingEvents.receivedAt, new Date(now.getTime() - keptMs))
    const isNobodys = and(isNull(billingEvents.accountId), isNull(billingEvents.person))
    await db.delete(billingEvents).where(and(isNobodys, eq(billingEvents.accountGone, accountGone), isOld))
  }
  await sweepFormerPeople(db, now)
  await sweepOrderEvents(db, new Date(now.getTime() - GONE_MS), oldestInBooks(now))
  await db.delete(mails).where(lte(mails.createdAt, new Date(now.getTime() - MAIL_KEPT_MS)))
  for (const table of [deliveredCounts, deliveredDays]) {
    await db
      .delete(table)
      .where(sql`not exists (select 1 from accounts where accounts.id = ${table.accountId})`)
  }
  await db.delete(deliveredDays).where(lt(deliveredDays.day, firstUsageDay(now)))
  await sweepConnections(db, now)
  await sweepActs(db, now)
  await sweepNotices(db, now)
  await sweepGateways(db)
  await sweepOperators({ db }, now)
}
