import type { Accounts, StatusNotice } from '@pairwire/accounts'
import { type Log, type Looking, lookAgain } from '@pairwire/basics'
import type { SystemStatus } from '@pairwire/contract'
import { traceOf } from './plugins/errors.ts'

/**
 * The operator's notices, cached in memory: they are on every public page, and a page that strangers open must not
 * query the database. They are read again now and then, since another process may have added one.
 */
type NoticeBoard = Looking &
  Readonly<{
    /** Current notices, newest first, as the banner shows them. */
    standing(): SystemStatus
    /** Notices of the last 90 days, newest first, including those taken down. */
    all(): readonly StatusNotice[]
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
  clock: Readonly<{ after(milliseconds: number, action: () => void): () => void }>
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

  return {
    standing: () =>
      notices.filter(({ clearedAt }) => clearedAt === null).map(({ details }) => ({ Details: details })),
    all: () => notices,
    refresh,
    ...lookAgain(clock, () => refresh().then(() => LOOK_EVERY_MS)),
  }
}
