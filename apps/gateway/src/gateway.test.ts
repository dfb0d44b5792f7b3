import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aBlock, aSwap } from './testing/events.ts'
import { openGateway, type TestGateway } from './testing/test-gateway.ts'

describe('gateway', () => {
  let stream: TestGateway
  beforeEach(async () => {
    stream = await openGateway()
  })
  afterEach(() => stream.close())

  it('takes a client from key to event', async () => {
    const client = await stream.connect()

    const answer = await client.ask({ jsonrpc: '2.0', id: 1, method: 'swapSubscribe' })
    const swap = aSwap()
    await stream.publish(swap)

    expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: { subscription_id: 1 } })
    expect(await client.next()).toEqual({
      subscription_id: 1,
      method: 'swapNotification',
      params: swap.params,
      cursor: swap.cursor,
    })
  })

  it('answers the first frame of the console, which has no id', async () => {
    const client = await stream.connect()

    client.send('{"method":"latestBlockSubscribe"}')
    const answer = await client.nextText()
    const block = aBlock()
    await stream.publish(block)

    expect(answer).toBe('{"jsonrpc":"2.0","result":{"subscription_id":1}}')
    expect(await client.next()).toMatchObject({ method: 'latestBlockNotification', params: block.params })
  })
})
