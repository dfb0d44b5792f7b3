import type { acts } from '../database/schema.ts'

/** Who runs a verb of the operator's, by which way, and which. */
export type Actor = Readonly<{
  actor: string
  via: 'room' | 'tool' | 'token'
  /** Where the call came from; null for the tool. */
  address: string | null
  verb: string
}>

/** What an actor did. `changes` has each changed thing before and after; never a key, token or email. */
export type ActNote = Readonly<{
  accountId?: string | null
  reason?: string | undefined
  changes?: Readonly<Record<string, unknown>>
  /** `done` unless given. `asked` before an effect outside of the database, which another act ends. */
  outcome?: Act['outcome']
}>

/** An act as it is kept. */
export type Act = Readonly<Omit<typeof acts.$inferSelect, 'id'>>
