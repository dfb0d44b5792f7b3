import type { Database, Queries } from './database/open-database.ts'
import type { acts } from './database/schema.ts'
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

/** An act as it is kept. */
export type Act = Readonly<Omit<typeof acts.$inferSelect, 'id'>>

/** Transactions in which a mail was queued. */
const mailing = new WeakSet<Queries>()

/** Has the mail sender look at its queue once this transaction is on disk. */
export function wakeMails(tx: Queries): void {
  mailing.add(tx)
}

/** Makes a change in a transaction and waits for the disk; then announces the mails that were queued in it. */
export async function commit<Answer>(
  store: Store,
  change: (tx: Queries) => Promise<Answer>,
): Promise<Answer> {
  let isMailing = false
  const answer = await store.db.transaction(async (tx) => {
    const answer = await change(tx)
    isMailing = mailing.has(tx)
    return answer
  })
  await store.barrier()
  if (isMailing) store.announceMail()
  return answer
}
