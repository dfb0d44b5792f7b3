import type { Act } from './acts/act.ts'
import type { Database } from './database/open-database.ts'
import type { Secrets } from './secrets.ts'

/** The dependencies of every verb. */
export type Store = Readonly<{
  db: Database['db']
  barrier: Database['barrier']
  now(): Date
  secrets: Secrets
  /** Whether an email's domain is blocked from registering. */
  isBlockedEmail(email: string): boolean
  /** Announces an act, once it is on disk. */
  announceAct(act: Act): void
  /** Announces that a mail was queued, once it is on disk. */
  announceMail(): void
}>
