import { AppError, type DeadLetter } from '@pairwire/contract'
import { and, desc, eq, sql } from 'drizzle-orm'
import { webhookDeadLetters as letters, webhooks } from '../database/schema.ts'
import type { NotedMessage } from '../database/webhook-tables.ts'
import { commit, type Store } from '../store.ts'
import { lockWebhook } from './webhook-row.ts'

/** The dead letters of the account's endpoint, the newest first. @throws ERR_NOT_FOUND */
export async function listDeadLetters(store: Store, accountId: string, id: string): Promise<DeadLetter[]> {
  await lockWebhook(store.db, accountId, id)
  const rows = await store.db
    .select()
    .from(letters)
    .where(eq(letters.endpointId, id))
    .orderBy(desc(letters.n))
  return rows.map(({ n, at, message, status, body, queuedAt }) => {
    const { first, last, count } = message
    return { n, at: at.toISOString(), first, last, events: count, status, body, queued: queuedAt !== null }
  })
}

/**
 * Asks to have a dead letter sent once more, as a new message of its events.
 *
 * @throws ERR_NOT_FOUND, and what `check` throws for events that are gone
 */
export async function queueDeadLetter(
  store: Store,
  accountId: string,
  id: string,
  n: number,
  check: (message: NotedMessage) => Promise<void>,
): Promise<void> {
  await lockWebhook(store.db, accountId, id)
  const [row] = await store.db.select().from(letters).where(is(id, n))
  if (!row) throw noLetter()
  await check(row.message)
  await commit(store, async (tx) => {
    // The endpoint first, as a process does that sends it again.
    await tx.execute(sql`update ${webhooks} set revision = revision + 1 where id = ${id}`)
    await tx.update(letters).set({ queuedAt: store.now() }).where(is(id, n))
  })
}

/** The message of a dead letter that is to be sent next. */
export async function readQueuedLetter(
  { db }: Store,
  id: string,
  n: number,
): Promise<NotedMessage | undefined> {
  const [row] = await db.select().from(letters).where(is(id, n))
  return row?.message
}

/** Forgets a dead letter. @throws ERR_NOT_FOUND */
export async function deleteDeadLetter(
  store: Store,
  accountId: string,
  id: string,
  n: number,
): Promise<void> {
  await lockWebhook(store.db, accountId, id)
  const deleted = await store.db.delete(letters).where(is(id, n)).returning({ n: letters.n })
  if (deleted.length === 0) throw noLetter()
  await store.barrier()
}

const is = (id: string, n: number) => and(eq(letters.endpointId, id), eq(letters.n, n))
const noLetter = () => new AppError('ERR_NOT_FOUND', 'There is no dead letter with this number.')
