import { AppError, type Webhook } from '@pairwire/contract'
import { asc, eq, sql } from 'drizzle-orm'
import { webhooks } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { ofAccount, secretsOf, toWebhook, type WebhookRow } from './webhook-row.ts'

/** The account's endpoints, the oldest first. */
export async function listWebhooks({ db, now }: Store, accountId: string): Promise<Webhook[]> {
  const rows = await db
    .select()
    .from(webhooks)
    .where(eq(webhooks.accountId, accountId))
    .orderBy(asc(webhooks.createdAt), asc(webhooks.id))
  return rows.map((row) => toWebhook(row, now().getTime()))
}

/** One of them, with the secrets that sign for it. @throws ERR_NOT_FOUND */
export async function getWebhook(
  store: Store,
  accountId: string,
  id: string,
): Promise<{ webhook: Webhook; row: WebhookRow; secrets: string[] }> {
  const [row] = await store.db.select().from(webhooks).where(ofAccount(accountId, id))
  if (!row) throw new AppError('ERR_NOT_FOUND', 'There is no endpoint with this id.')
  return { webhook: toWebhook(row, store.now().getTime()), row, secrets: secretsOf(store, row) }
}

/** A number for a message outside of the order, such as a sample. */
export async function nextWebhookNumber({ db }: Store, id: string): Promise<number> {
  const [row] = await db
    .update(webhooks)
    .set({ n: sql`${webhooks.n} + 1` })
    .where(eq(webhooks.id, id))
    .returning({ n: webhooks.n })
  if (!row) throw new AppError('ERR_NOT_FOUND', 'There is no endpoint with this id.')
  return row.n
}
