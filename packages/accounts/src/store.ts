import type { Database } from './database/open-database.ts'
import type { Secrets } from './database/secrets.ts'

/** What every verb works on. */
export type Store = Readonly<{
  db: Database['db']
  barrier: Database['barrier']
  now(): Date
  secrets: Secrets
  /** Whether an email's domain is one from which nobody may register. */
  isBlockedEmail(email: string): boolean
  /** Says that a mail was queued, once it is on the disk. */
  announceMail(): void
}>
