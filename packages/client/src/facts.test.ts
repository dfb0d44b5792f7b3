import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { WebSocket } from 'ws'
import { createPairwire, type Pairwire } from './index-node.ts'
import { aNewPair, aSwap, createFakeServer, type FakeServer } from './testing.ts'

const curve = { progress: 4.32, complete: false, virtualBase: '1', virtualQuote: '2' }

describe('facts', () => {
  let server: FakeServer
  let pairwire: Pairwire

  beforeEach(async () => {
    server = await createFakeServer()
    pairwire = createPairwire({ url: server.url, key: server.key, WebSocket })
  })

  afterEach(async () => {
    await pairwire.close()
    await server.stop()
  })

  /** Resolves once the server has as many subscribes of swaps and pairs. */
  const subscribed = (count: number) =>
    expect
      .poll(() => server.received.filter(({ method }) => /^(swap|newPair)Subscribe$/.test(method)).length)
      .toBe(count)

  it('are on the events of a stream that asked, with their type', async () => {
    const swaps = pairwire.swaps({ facts: true })
    const pairs = pairwire.newPairs({ facts: true, stage: ['launched'], creator: ['4'.padStart(32, '1')] })
    const [swap, pair] = [swaps[Symbol.asyncIterator]().next(), pairs[Symbol.asyncIterator]().next()]
    await subscribed(2)

    server.push(aSwap({}, { curve }))
    server.push(aNewPair({}, { slotBuyers: 3 }))

    const { value: first } = await swap
    const { value: second } = await pair
    expect(first?.facts).toEqual({ marketCap: '123.456789', walletBalance: '1000000', curve })
    expect(second?.facts.slotBuyers).toBe(3)
    expect(server.received.map(({ params }) => params)).toContainEqual(
      expect.objectContaining({ facts: true, stage: ['launched'] }),
    )
    type Event = typeof swaps extends AsyncIterable<infer Each> ? Each : never
    expectTypeOf<Event['facts']['marketCap']>().toEqualTypeOf<string | null>()
  })

  it('are on none of a stream that did not', async () => {
    const swap = pairwire.swaps()[Symbol.asyncIterator]().next()
    await subscribed(1)

    server.push(aSwap())

    expect((await swap).value).not.toHaveProperty('facts')
  })

  it('come again after a cut, and go with an update that leaves them out', async () => {
    const swaps = pairwire.swaps({ facts: true })
    const reader = swaps[Symbol.asyncIterator]()
    const first = reader.next()
    await subscribed(1)
    server.push(aSwap())
    await first
    server.cut()
    const second = reader.next()
    server.push(aSwap({}, { walletBalance: '9' }))

    expect((await second).value?.facts.walletBalance).toBe('9')
    // @ts-expect-error: the stream's type promises facts
    await swaps.update({ swapType: ['buy'] })
    const third = reader.next()
    server.push(aSwap())
    expect((await third).value).not.toHaveProperty('facts')
  })
})
