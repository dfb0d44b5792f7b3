import { eq } from 'drizzle-orm'
import { mails } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** Notes that the mail server took it: what it said is forgotten. */
export async function noteMailSent({ db, barrier, now }: Store, id: string): Promise<void> {
  await db.update(mails).set({ state: 'sent', sentAt: now(), letterSealed: null }).where(eq(mails.id, id))
  await barrier()
}
