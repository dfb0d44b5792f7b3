import { describe, expect, it } from 'vitest'
import { createWebhooksUnderTest, until } from '../testing/webhooks-under-test.ts'

// Not by its name: other checkouts may lack the package, which only tests use.
const { Webhook } = await import(['standardwebhooks'][0]!)

describe('webhooks', () => {
  it('post what a filter wants, in chain order, as frames of the stream, signed as Standard Webhooks says', async () => {
    const { anEndpoint, swaps, publish, aSwap, show } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id, secret } = await anEndpoint({ params: { include: { usdValue: 100 } } })

    await swaps(3)
    const wanted = [...(await swaps(2, { usdValue: 200 })), ...(await publish(aSwap({ usdValue: 100 })))]
    await until(() => receiver.cursors().length === 3)

    expect(receiver.cursors()).toEqual(wanted)
    const [first] = receiver.got
    expect(first!.body).toMatchObject({
      type: 'swap',
      timestamp: expect.stringMatching(/Z$/),
      data: { endpoint: id, first: wanted[0], last: first!.body.data.events.at(-1)!.cursor },
    })
    expect(first!.body.data.events[0]).toEqual({
      method: 'swapNotification',
      params: expect.objectContaining({ signature: 's' }),
      cursor: wanted[0],
    })
    expect(first!.id).toBe(`${id}_1`)
    for (const { text, headers } of receiver.got) new Webhook(secret).verify(text, headers as never)
    await until(async () => (await show(id)).counters.events === 3)
    expect(await show(id)).toMatchObject({
      state: 'on',
      behindMs: 0,
      lastAttempt: { status: 200, error: null },
    })
  })
})
