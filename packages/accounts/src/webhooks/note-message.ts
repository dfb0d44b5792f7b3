import { sql } from 'drizzle-orm'
import { webhookDeadLetters, webhooks } from '../database/schema.ts'
import type { NotedMessage } from '../database/webhook-tables.ts'
import type { Store } from '../store.ts'
import { hasLease } from './take-webhooks.ts'

/** What {@link noteMessage} takes. */
export type MessageToNote = Readonly<{
  id: string
  owner: string
  revision: number
  /** The message; its number is given here. */
  message: Omit<NotedMessage, 'n'>
  /** When the first of its events arrived. */
  behindSince: Date
  /** The number of the message that it replaces, as that cannot be made again. */
  instead?: number | undefined
  /** The dead letter whose events it repeats, which is removed. */
  letter?: number | undefined
}>

/**
 * Records the number and bounds of a message before it is sent, if this process has the endpoint's lease and knows it as it is.
 *
 * @returns undefined if not: then nothing may be sent
 */
export async function noteMessage(
  { db, barrier }: Store,
  { id, owner, revision, message, behindSince, letter, instead }: MessageToNote,
): Promise<NotedMessage | undefined> {
  const isLetter = sql`endpoint_id = ${id} and n = ${letter ?? null}::bigint`
  const { rows } = await db.execute<{ message: NotedMessage }>(sql`
    with noted as (
      update ${webhooks} set n = n + 1, message = ${JSON.stringify(message)}::jsonb || jsonb_build_object('n', n + 1), tries = 0,
        refusals = 0, next_try_at = null, behind_since = least(behind_since, ${behindSince}::timestamptz)
      where id = ${id} and owner = ${owner} and revision = ${revision}
        and (message is null or (message->>'n')::bigint = ${instead ?? null}::bigint)
        and state in ('on', 'failing') and ${hasLease(owner)}
        and (${letter ?? null}::bigint is null or exists (select from ${webhookDeadLetters} where ${isLetter}))
      returning message), sent as (delete from ${webhookDeadLetters} where ${isLetter} and exists (select from noted))
    select message from noted`)
  if (rows[0]) await barrier()
  return rows[0]?.message
}
