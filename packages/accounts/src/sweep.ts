import { and, eq, isNull, lt, lte, sql } from 'drizzle-orm'
import { sweepActs } from './acts/acts.ts'
import {
  billingEvents,
  countedBatches,
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
 * Call it now and then. Each is deleted even if another cannot be.
 *
 * @throws the first of the failures
 */
export async function sweep({ db, now: readClock }: Store): Promise<void> {
  const now = readClock()
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const deleteReports = (accountGone: boolean, keptMs: number) => {
    const isNobodys = and(isNull(billingEvents.accountId), isNull(billingEvents.person))
    const isOld = lte(billingEvents.receivedAt, ago(keptMs))
    return db.delete(billingEvents).where(and(isNobodys, eq(billingEvents.accountGone, accountGone), isOld))
  }
  const deleteStrays = (table: typeof deliveredCounts | typeof deliveredDays) =>
    db.delete(table).where(sql`not exists (select 1 from accounts where accounts.id = ${table.accountId})`)
  const sweeps: readonly (() => Promise<unknown>)[] = [
    () => db.delete(loginTokens).where(lte(loginTokens.expiresAt, now)),
    () => db.delete(sessions).where(lte(sessions.expiresAt, now)),
    () => db.delete(usedCaptchas).where(lte(usedCaptchas.expiresAt, now)),
    () => deleteReports(false, STRAY_MS),
    () => deleteReports(true, GONE_MS),
    () => sweepFormerPeople(db, now),
    () => sweepOrderEvents(db, ago(GONE_MS), oldestInBooks(now)),
    () => db.delete(mails).where(lte(mails.createdAt, ago(MAIL_KEPT_MS))),
    () => deleteStrays(deliveredCounts),
    () => deleteStrays(deliveredDays),
    () => db.delete(deliveredDays).where(lt(deliveredDays.day, firstUsageDay(now))),
    () => db.delete(countedBatches).where(lt(countedBatches.at, new Date(firstUsageDay(now)))),
    () => sweepConnections(db, now),
    () => sweepActs(db, now),
    () => sweepNotices(db, now),
    () => sweepGateways(db),
    () => sweepOperators({ db }, now),
  ]
  const failures: unknown[] = []
  for (const each of sweeps) await each().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
