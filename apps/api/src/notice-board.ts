import type { Accounts, StatusNotice } from '@pairwire/accounts'
import { type Clock, type Log, type Looking, lookAgain } from '@pairwire/basics'
import type { SystemStatus } from '@pairwire/contract'
import { traceOf } from './trace-of.ts'

/** A notice as pages show it: when it began, and when it was over; null while it stands. */
export type ShownNotice = Readonly<{ details: string; createdAt: Date; clearedAt: Date | null }>

/**
 * The operator's notices, cached in memory: they are on every public page, and a page that strangers open must not
 * query the database. They are read again now and then, since another process may have added one.
 */
export type NoticeBoard = Looking &
  Readonly<{
    /** Current notices, newest first, as the banner shows them. */
    standing(): SystemStatus
    /** Notices of the last 90 days, newest first, including those that are over; without planned ones. */
    all(): readonly ShownNotice[]
    /** The maintenance that is on, and when it ends; undefined without. */
    maintenance(): Readonly<{ details: string; endsAt: Date | null }> | undefined
    /** Reads the notices again; the old ones stay while the database is away. */
    refresh(): Promise<void>
  }>

/** Milliseconds between two reads. */
const LOOK_EVERY_MS = 30_000

/** `after` calls back once after that many milliseconds, unless cancelled. */
export function createNoticeBoard({
  accounts,
  clock,
  log,
}: {
  accounts: Pick<Accounts, 'listNotices'>
  clock: Pick<Clock, 'now' | 'after'>
  log: Log
}): NoticeBoard {
  let notices: readonly StatusNotice[] = []

  const refresh = async () => {
    try {
      notices = await accounts.listNotices()
    } catch (error) {
      log.warn('The notices could not be read; trying again.', traceOf(error))
    }
  }

  /** The notices that have begun, with the moment at which they were over. */
  const shown = () => {
    const now = new Date(clock.now())
    return notices
      .filter(({ startsAt }) => startsAt === null || startsAt <= now)
      .map(({ startsAt, clearedAt, endsAt, createdAt, ...notice }) => ({
        ...notice,
        endsAt,
        createdAt: startsAt ?? createdAt,
        clearedAt: clearedAt ?? (endsAt && endsAt <= now ? endsAt : null),
      }))
  }

  return {
    standing: () =>
      shown()
        .filter(({ clearedAt }) => clearedAt === null)
        .sort((left, right) => Number(right.kind === 'maintenance') - Number(left.kind === 'maintenance'))
        .map(({ details }) => ({ Details: details })),
    all: shown,
    maintenance: () => shown().find(({ kind, clearedAt }) => kind === 'maintenance' && clearedAt === null),
    refresh,
    ...lookAgain(clock, () => refresh().then(() => LOOK_EVERY_MS)),
  }
}
