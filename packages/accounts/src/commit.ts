import type { Queries } from './database/open-database.ts'
import type { Store } from './store.ts'

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
