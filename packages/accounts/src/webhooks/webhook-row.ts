import { AppError, type Webhook } from '@pairwire/contract'
import { and, eq } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { webhooks } from '../database/schema.ts'
import type { Store } from '../store.ts'

export type WebhookRow = typeof webhooks.$inferSelect

/** Milliseconds for which an endpoint that gets nothing may be noted late: its place is, every ten seconds. */
const NOTED_LATE_MS = 15_000

/** An endpoint as its owner sees it. */
export function toWebhook(row: WebhookRow, now: number): Webhook {
  const { id, url, kind, params, maxEvents, maxWaitMs, state, lastAttempt } = row
  const { delivered, events, failed, deadLetters } = row
  const behindMs = Math.max(0, now - row.behindSince.getTime())
  return {
    ...{ id, url, kind, params, maxEvents, maxWaitMs, state, createdAt: row.createdAt.toISOString() },
    counters: { delivered, events, failed, deadLetters },
    lastAttempt,
    behindMs: row.message || behindMs > NOTED_LATE_MS ? behindMs : 0,
  }
}

/** The account's endpoint, locked for a change. @throws ERR_NOT_FOUND */
export async function lockWebhook(queries: Queries, accountId: string, id: string): Promise<WebhookRow> {
  const [row] = await queries.select().from(webhooks).where(ofAccount(accountId, id)).for('update')
  if (!row) throw new AppError('ERR_NOT_FOUND', 'There is no endpoint with this id.')
  return row
}

/** PostgreSQL takes no NUL in a text. */
export const ofAccount = (accountId: string, id: string) =>
  and(eq(webhooks.accountId, accountId), eq(webhooks.id, id.replaceAll('\0', '')))

/** The secrets that sign for the endpoint, the newest first. */
export function secretsOf({ secrets, now }: Store, row: WebhookRow): string[] {
  const { id, secretSealed, oldSecretSealed: old, oldSecretUntil: until } = row
  const sealed = old !== null && until !== null && until > now() ? [secretSealed, old] : [secretSealed]
  return sealed.map((one) => secrets.webhooks.open(one, id))
}
