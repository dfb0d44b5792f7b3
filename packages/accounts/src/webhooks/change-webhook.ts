import { WEBHOOK_LIMITS, type Webhook, type WebhookChange, type WebhookWithSecret } from '@pairwire/contract'
import { eq, sql } from 'drizzle-orm'
import { webhooks } from '../database/schema.ts'
import { commit, type Store } from '../store.ts'
import { newWebhookSecret } from './create-webhook.ts'
import { lockWebhook, ofAccount, toWebhook, type WebhookRow } from './webhook-row.ts'

type Change = Partial<typeof webhooks.$inferInsert>

/** A new beginning: earlier failures are forgotten, and a message that waits is tried at once. */
const AFRESH = { tries: 0, refusals: 0, nextTryAt: null, failingSince: null, deadInRow: 0 }

/** Changes address, params or batches. A message in hand stays what it was, and goes to the new address at once. */
export const changeWebhook = (store: Store, accountId: string, id: string, change: WebhookChange) =>
  makeChange(store, accountId, id, ({ message, params }) => ({
    ...change,
    ...(change.url !== undefined && { nextTryAt: null }),
    ...(change.params && message && { message: { params, ...message } }),
  }))

/** Keeps its place, and sends nothing. */
export const pauseWebhook = (store: Store, accountId: string, id: string) =>
  makeChange(store, accountId, id, () => ({ state: 'paused' as const }))

/** Continues from its place, even if it was stopped. */
export const resumeWebhook = (store: Store, accountId: string, id: string) =>
  makeChange(store, accountId, id, () => ({ ...AFRESH, state: 'on' as const }))

/** Continues after `place`, a cursor; a message in hand is dropped. A paused one stays paused. */
export const seekWebhook = (store: Store, accountId: string, id: string, place: string) =>
  makeChange(store, accountId, id, ({ state }) => {
    const now = store.now()
    return { ...AFRESH, place, behindSince: now, message: null, state: state === 'paused' ? state : 'on' }
  })

/** Makes a new secret; for a day the previous one signs too. */
export async function rotateWebhook(store: Store, accountId: string, id: string): Promise<WebhookWithSecret> {
  const secret = newWebhookSecret()
  const oldSecretUntil = new Date(store.now().getTime() + WEBHOOK_LIMITS.oldSecretMs)
  const webhook = await makeChange(store, accountId, id, ({ secretSealed }) => ({
    secretSealed: store.secrets.webhooks.seal(secret, id),
    oldSecretSealed: secretSealed,
    oldSecretUntil,
  }))
  return { ...webhook, secret }
}

/** Deletes an endpoint with its dead letters. @throws ERR_NOT_FOUND */
export async function deleteWebhook(store: Store, accountId: string, id: string): Promise<void> {
  await commit(store, async (tx) => {
    // All of the account's, in one order: of two deletions at once, each would wait for the other.
    await tx.execute(sql`select from ${webhooks} where account_id = ${accountId} order by id for update`)
    await lockWebhook(tx, accountId, id)
    await tx.delete(webhooks).where(ofAccount(accountId, id))
    // One that waits because of the plan may continue.
    const revision = sql`${webhooks.revision} + 1`
    await tx.update(webhooks).set({ revision }).where(eq(webhooks.accountId, accountId))
  })
}

/** Makes an owner's change, after which a process that knows the endpoint as it was can note nothing. */
async function makeChange(
  store: Store,
  accountId: string,
  id: string,
  make: (row: WebhookRow) => { [Member in keyof Change]: Change[Member] | undefined },
): Promise<Webhook> {
  const row = await commit(store, async (tx) => {
    const before = await lockWebhook(tx, accountId, id)
    const change = { ...make(before), revision: before.revision + 1 } as Change
    const [after] = await tx.update(webhooks).set(change).where(eq(webhooks.id, id)).returning()
    return after!
  })
  return toWebhook(row, store.now().getTime())
}
