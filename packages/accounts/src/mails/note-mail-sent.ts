import { eq } from 'drizzle-orm'
import { mails } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** Records that the mail server accepted it, and deletes its content. */
export async function noteMailSent({ db, barrier, now }: Store, id: string): Promise<void> {
  await db.update(mails).set({ state: 'sent', sentAt: now(), letterSealed: null }).where(eq(mails.id, id))
  await barrier()
}
