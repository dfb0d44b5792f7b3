import type { Database } from './database/open-database.ts'
import type { Secrets } from './database/secrets.ts'

/** The dependencies of every verb. */
export type Store = Readonly<{
  db: Database['db']
  barrier: Database['barrier']
  now(): Date
  secrets: Secrets
  /** Whether an email's domain is blocked from registering. */
  isBlockedEmail(email: string): boolean
  /** Announces that a mail was queued, once it is on disk. */
  announceMail(): void
}>
