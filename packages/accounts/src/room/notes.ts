import { AppError } from '@pairwire/contract'
import { desc, eq } from 'drizzle-orm'
import { type Actor, withAct } from '../acts/acts.ts'
import { notes } from '../database/schema.ts'
import { lockWho, requireWho } from '../people/find-who.ts'
import type { Store } from '../store.ts'

/** What an operator wrote down about an account. */
export type PersonNote = Pick<typeof notes.$inferSelect, 'at' | 'author' | 'note'>

/** Characters of a note. */
const NOTE_MAX = 4_000

/** Notes that are listed. */
const LISTED = 200

/** Writes down a note about an account. @throws ERR_NOT_FOUND, ERR_VALIDATION */
export async function addNote(store: Store, who: string, note: string, by: Actor): Promise<PersonNote> {
  if (note.trim() === '' || note.length > NOTE_MAX || note.includes('\0')) {
    throw new AppError('ERR_VALIDATION', `A note has 1 to ${NOTE_MAX} characters.`)
  }
  return withAct(store, by, async (tx, tell) => {
    const { accountId } = await lockWho(store, tx, who)
    const written = { at: store.now(), author: by.actor, note }
    await tx.insert(notes).values({ accountId, ...written })
    tell({ accountId })
    return written
  })
}

/** Lists the notes about an account, newest first, {@link LISTED} at most. @throws ERR_NOT_FOUND */
export async function listNotes(store: Store, who: string): Promise<PersonNote[]> {
  const accountId = await requireWho(store, store.db, who)
  const { at, author, note } = notes
  return store.db
    .select({ at, author, note })
    .from(notes)
    .where(eq(notes.accountId, accountId))
    .orderBy(desc(notes.id))
    .limit(LISTED)
}
