import { randomBytes } from 'node:crypto'
import { AppError, planById, type WebhookBody, type WebhookWithSecret } from '@pairwire/contract'
import { eq } from 'drizzle-orm'
import { lockAccount } from '../database/lock-account.ts'
import { webhooks } from '../database/schema.ts'
import { readPlansInForce } from '../standing/plan-in-force.ts'
import { commit, type Store } from '../store.ts'
import { toWebhook } from './webhook-row.ts'

/**
 * Creates an endpoint that begins after `place`, a cursor.
 *
 * @throws NO_PLAN, and WEBHOOK_LIMIT when the plan has no endpoint left
 */
export async function createWebhook(
  store: Store,
  accountId: string,
  { params, ...body }: WebhookBody,
  place: string,
): Promise<WebhookWithSecret> {
  const now = store.now()
  const id = `wh_${randomBytes(10).toString('hex')}`
  const secret = newWebhookSecret()
  const row = await commit(store, async (tx) => {
    await lockAccount(tx, accountId)
    const [active] = await readPlansInForce(tx, accountId, now)
    if (!active) throw new AppError('NO_PLAN')
    const most = planById(active.plan.id)!.webhooks
    if ((await tx.$count(webhooks, eq(webhooks.accountId, accountId))) >= most) {
      const sentence = `${active.plan.name} has ${most} webhook ${most === 1 ? 'endpoint' : 'endpoints'}. Delete one first.`
      throw new AppError('WEBHOOK_LIMIT', sentence)
    }
    const secretSealed = store.secrets.webhooks.seal(secret, id)
    const [inserted] = await tx
      .insert(webhooks)
      .values({
        ...{ id, accountId, ...body, params: params ?? {}, state: 'on', createdAt: now },
        ...{ secretSealed, place, behindSince: now },
      })
      .returning()
    return inserted!
  })
  return { ...toWebhook(row, now.getTime()), secret }
}

/** As Standard Webhooks writes a secret. @see https://www.standardwebhooks.com */
export const newWebhookSecret = () => `whsec_${randomBytes(32).toString('base64')}`
