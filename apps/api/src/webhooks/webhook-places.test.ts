import { expect, it, onTestFinished } from 'vitest'
import { addEndpoints } from '../testing/add-endpoints.ts'
import { skipWaits } from '../testing/skip-waits.ts'
import { startReceiver } from '../testing/webhook-receiver.ts'
import { createWebhooksUnderTest, until } from '../testing/webhooks-under-test.ts'

/** Milliseconds of a post here; receivers that answer nothing take all of them. */
const ANSWER_MS = 1_000

it.each([
  ['4 accounts', 10],
  ['10 accounts', 4],
  ['40 accounts', 1],
])(
  '40 endpoints of %s that never answer take no place from a quick one: half of the 64 stay free, and 60 of each account',
  async (_accounts, each) => {
    const open = new Map<string, number>()
    const most = { ofAccount: 0, ofHanging: 0, ofAll: 0 }
    const hanging = await startReceiver()
    // After the loop, which would try one that is gone again and again.
    onTestFinished(hanging.stop)
    const owners = new Map<string, string>()
    const add = (owner: string, by: 1 | -1) => open.set(owner, (open.get(owner) ?? 0) + by)
    const under = await createWebhooksUnderTest({
      change: ({ posting, ...parts }) => ({
        ...parts,
        posting: {
          ...posting,
          async post(url, message) {
            const id = JSON.parse(message.body).data.endpoint
            const owner = owners.get(id) ?? 'quick'
            add(owner, 1)
            const all = [...open.values()].reduce((sum, count) => sum + count)
            const others = all - (open.get('quick') ?? 0)
            most.ofAll = Math.max(most.ofAll, all)
            if (hasFailed()) most.ofHanging = Math.max(most.ofHanging, others)
            if (owner !== 'quick') most.ofAccount = Math.max(most.ofAccount, open.get(owner)!)
            return posting.post(url, { ...message, timeLimitMs: ANSWER_MS }).finally(() => {
              add(owner, -1)
              if (owner !== 'quick') failed.add(id)
            })
          },
        },
      }),
    })
    const { anEndpoint, swaps, accounts } = under
    skipWaits(under)
    const failed = new Set<string>()
    const hasFailed = () => failed.size === 40
    hanging.answer = () => 'hang'
    await swaps(1)
    const { receiver } = await anEndpoint()
    for (let at = 0; at < 40 / each; at++) {
      const owner = await addEndpoints(under, hanging.url, each)
      for (const { id } of await accounts.listWebhooks(owner)) owners.set(id, owner)
    }
    await swaps(1)
    await until(hasFailed, 60_000)
    for (let round = 0; round < 10; round++) {
      const [sent] = await swaps(1)
      await until(() => receiver.cursors().includes(sent))
    }

    expect(most.ofAccount).toBeLessThanOrEqual(4)
    expect(most.ofHanging).toBe(Math.min(32, (40 / each) * 4))
    expect(most.ofAll).toBeLessThan(64)
  },
  120_000,
)
