import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { createWebhooksUnderTest } from './webhooks-under-test.ts'

type Under = Pick<Awaited<ReturnType<typeof createWebhooksUnderTest>>, 'accounts' | 'bus'>

/** Adds another account with endpoints at `url` that want every swap. @returns the account's id */
export async function addEndpoints({ accounts, bus }: Under, url: string, count = 1): Promise<string> {
  const email = `${randomUUID()}@example.org`
  await accounts.createAccount(email)
  const { accountId } = await accounts.grantPlan(email, 3)
  const place = (await bus.newestCursor())!
  const body = { url, kind: 'swap' as const, params: {}, maxEvents: 25, maxWaitMs: 0 }
  for (let at = 0; at < count; at++) {
    const { id } = await accounts.createWebhook(accountId, body, place)
    // The loop of the next test would serve it.
    onTestFinished(() => accounts.deleteWebhook(accountId, id).catch(() => {}))
  }
  await bus.sendControl({ type: 'webhooksChanged', accountId })
  return accountId
}
