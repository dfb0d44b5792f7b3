import { describe, expect, it } from 'vitest'
import type { AccountsUnderTest } from '../testing/accounts-under-test.ts'

/** Endpoints of webhooks: what every database must keep of them. */
export function describeWebhooks({ accounts, aPerson, aPaidPlan }: AccountsUnderTest): void {
  describe('endpoints of webhooks', () => {
    // Each deletion changes the others of its account: two at once must not wait for each other.
    it('are all deleted at once', async () => {
      const { accountId } = await aPerson()
      await aPaidPlan(accountId, { planId: 3 })
      const body = {
        kind: 'swap',
        url: 'https://hooks.example.com/',
        maxEvents: 100,
        maxWaitMs: 500,
      } as const

      for (let round = 0; round < 10; round++) {
        const made = await Promise.all(
          Array.from({ length: 5 }, () => accounts.createWebhook(accountId, body, '')),
        )
        await Promise.all(made.map(({ id }) => accounts.deleteWebhook(accountId, id)))
      }

      expect(await accounts.listWebhooks(accountId)).toEqual([])
    })
  })
}
