import { eq } from 'drizzle-orm'
import { mails } from './schema.ts'
import type { Store } from './store.ts'

/** The mail is out: what it said is forgotten. See `Accounts.noteMailSent`. */
export async function noteMailSent({ db, barrier, now }: Store, id: string): Promise<void> {
  await db.update(mails).set({ state: 'sent', sentAt: now(), letterSealed: null }).where(eq(mails.id, id))
  await barrier()
}
