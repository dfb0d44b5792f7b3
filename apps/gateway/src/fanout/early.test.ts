import { type EarlyMessage, formatSlot, type NotificationEvent, slotOf } from '@pairwire/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aBlock, address, aNewPair, aSwap } from '../testing/events.ts'
import type { TestClient } from '../testing/test-client.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

const wallet = address(3)

/** An event as it is executed, before its block. */
function executed(event: NotificationEvent, bank = 1): EarlyMessage & { kind: 'executed' } {
  if (event.kind === 'latestBlock') throw new Error('Nobody executes a block.')
  const early = { ...event, unplaced: true, commitment: 'processed' } as const
  const { signature } = event.params
  return {
    ...{ kind: 'executed', slot: slotOf(event.cursor), source: 0, bank, signature },
    events: [early as NotificationEvent],
  }
}

const signed = <Event extends NotificationEvent>(event: Event, signature: string): Event => ({
  ...event,
  params: { ...event.params, signature },
})

/** The event and the end of its block. */
function blockOf(...events: NotificationEvent[]): NotificationEvent[] {
  const { slot } = events[0]!.params as { slot: number }
  const end = aBlock()
  const cursor = `${slotOf(events[0]!.cursor)}-999999-9000`
  return [...events, { ...end, cursor, params: { ...end.params, block: slot } }]
}

describe('events ahead of confirmation', () => {
  let stream: TestGateway
  let client: TestClient
  beforeEach(async () => {
    stream = await openGateway()
    client = await stream.connect()
  })
  afterEach(() => stream.close())

  const subscribe = (kind: string, params: object = {}) =>
    client.ask({ id: 1, method: `${kind}Subscribe`, params: { commitment: 'processed', ...params } })
  const execute = (...events: NotificationEvent[]) => {
    for (const event of events) stream.bus.publishEarly(executed(event))
    stream.clock.advance(5)
  }

  it('are sent as they are executed, with their commitment and without a cursor, and not again', async () => {
    const { params } = aSwap()
    const swap = signed(aSwap(), 'one')
    expect(await subscribe('swap')).toMatchObject({ result: { subscription_id: 1 } })

    execute(swap)
    const early = await client.untilPong()
    await stream.publish(...blockOf(swap))

    expect(early).toEqual([
      {
        subscription_id: 1,
        method: 'swapNotification',
        commitment: 'processed',
        params: { ...params, slot: swap.params.slot, signature: 'one' },
      },
    ])
    expect(client.texts.at(-2)).toContain('"method":"swapNotification","commitment":"processed","params":{')
    expect(await client.untilPong()).toEqual([])
    expect(stream.gateway.stats().sentEvents).toBe(1)
  })

  it('match the requested streams and filters, with times if requested', async () => {
    await subscribe('newPair', { timestamps: true })
    await subscribe('swap', { include: { walletAccount: [wallet] } })

    execute(signed(aNewPair(), 'pair'), signed(aSwap({ walletAccount: address(9) }), 'other'))
    execute(signed(aSwap({ walletAccount: wallet }), 'wanted'))

    expect(await client.untilPong()).toMatchObject([
      { subscription_id: 1, params: { signature: 'pair' }, receivedAt: expect.anything() },
      { subscription_id: 2, params: { signature: 'wanted' } },
    ])
  })

  it('are taken back by signature, only from subscribers that got them, before the end of the block is sent', async () => {
    const [kept, gone, unwanted] = [aSwap(), aSwap(), aSwap()].map((swap, at) => ({
      ...signed(swap, `signature ${at}`),
      cursor: `${formatSlot({ run: 1, slot: 5_000 })}-00000${at}-0000`,
    })) as [NotificationEvent, NotificationEvent, NotificationEvent]
    for (const event of [kept, gone, unwanted]) Object.assign(event.params, { slot: 5_000 })
    Object.assign((unwanted.params as { swap: object }).swap, { walletAccount: address(9) })
    await subscribe('swap', { include: { walletAccount: [wallet] } })
    await client.ask({ id: 2, method: 'latestBlockSubscribe' })
    const bystander = await stream.connect(2)
    await bystander.ask({
      id: 1,
      method: 'swapSubscribe',
      params: { commitment: 'processed', include: { walletAccount: [address(8)] } },
    })

    execute(kept, gone, unwanted)
    await client.untilPong()
    await stream.publish(...blockOf(kept))

    expect(await client.untilPong()).toMatchObject([
      {
        method: 'slotDroppedNotification',
        params: { subscription_id: 1, slot: 5_000, signatures: ['signature 1'] },
      },
      { subscription_id: 2, method: 'latestBlockNotification', params: { block: 5_000 } },
    ])
    expect(await bystander.untilPong()).toEqual([])
  })

  it('that only their block shows come before its end, also on a confirmed subscription to blocks', async () => {
    await subscribe('swap')
    await client.ask({ id: 2, method: 'latestBlockSubscribe' })
    const [first, second] = [signed(aSwap(), 'one'), signed(aSwap(), 'two')]
    await stream.publish(...blockOf(first))
    await client.untilPong()

    await stream.bus.publish(blockOf(second))
    // They do not wait for their window, which may last longer than that of confirmed events.
    const early = await client.next()
    stream.clock.advance(5)

    expect(early).toMatchObject({ commitment: 'processed', params: { signature: 'two' } })
    expect(await client.untilPong()).toMatchObject([
      { subscription_id: 2, method: 'latestBlockNotification', params: { block: second.params.slot } },
    ])
  })

  it('that still wait for their window come before the end of their block as well', async () => {
    await subscribe('swap')
    await client.ask({ id: 2, method: 'latestBlockSubscribe' })
    const [swap, later] = [signed(aSwap(), 'one'), signed(aSwap(), 'later')]

    for (const event of [swap, later]) stream.bus.publishEarly(executed(event))
    await stream.bus.publish(blockOf(swap))
    const early = await client.next()
    stream.clock.advance(5)

    expect(early).toMatchObject({ commitment: 'processed', params: { signature: 'one' } })
    expect(await client.untilPong()).toMatchObject([
      { commitment: 'processed', params: { signature: 'later' } },
      { subscription_id: 2, method: 'latestBlockNotification', params: { block: swap.params.slot } },
    ])
  })

  it('are taken back at once when their bank dies, and may come again from another one', async () => {
    const swap = signed(aSwap(), 'twice')
    await subscribe('swap')
    execute(swap)

    stream.bus.publishEarly({ kind: 'died', slot: slotOf(swap.cursor), source: 0, bank: 1 })
    stream.bus.publishEarly(executed(swap, 2))
    stream.clock.advance(5)
    await stream.publish(...blockOf(swap))

    const frames = await client.untilPong()
    expect(frames.map(({ method }) => method)).toEqual([
      'swapNotification',
      'slotDroppedNotification',
      'swapNotification',
    ])
  })

  it('end with their block for a processed subscription to blocks too', async () => {
    const swap = signed(aSwap(), 'one')
    await subscribe('latestBlock')

    execute(swap)
    const before = await client.untilPong()
    await stream.publish(...blockOf(swap))

    expect(before).toEqual([])
    expect(await client.untilPong()).toMatchObject([
      { method: 'latestBlockNotification', commitment: 'processed', params: { block: swap.params.slot } },
    ])
  })

  it('can be subscribed to next to confirmed events of the same kind, one of each', async () => {
    await subscribe('swap')
    const confirmed = await client.ask({
      id: 2,
      method: 'swapSubscribe',
      params: { commitment: 'confirmed' },
    })
    const [again, alsoAgain] = [await subscribe('swap'), await client.ask({ id: 3, method: 'swapSubscribe' })]

    expect(confirmed).toMatchObject({ result: { subscription_id: 2 } })
    expect(again.error).toMatchObject({ code: -32010, message: expect.stringContaining('number 1') })
    expect(alsoAgain.error).toMatchObject({ code: -32010, message: expect.stringContaining('number 2') })
  })

  it('stop with their own unsubscribe, and the confirmed ones continue', async () => {
    await subscribe('swap')
    await client.ask({ id: 2, method: 'swapSubscribe' })
    await client.ask({ id: 3, method: 'swapUnsubscribe', params: { subscription_id: 1 } })
    const swap = signed(aSwap(), 'one')

    execute(swap)
    await stream.publish(...blockOf(swap))

    expect(await client.untilPong()).toMatchObject([{ subscription_id: 2, cursor: swap.cursor }])
  })

  it('follow changed params', async () => {
    await subscribe('swap', { include: { walletAccount: [wallet] } })
    const params = { include: { walletAccount: [address(9)] } }
    await client.ask({ id: 2, method: 'updateSubscriptionParams', params: { subscription_id: 1, params } })

    execute(
      signed(aSwap({ walletAccount: wallet }), 'before'),
      signed(aSwap({ walletAccount: address(9) }), 'after'),
    )

    expect(await client.untilPong()).toMatchObject([{ params: { signature: 'after' } }])
  })

  it('cost nothing while there is no subscription', async () => {
    await client.ask({ id: 1, method: 'swapSubscribe' })
    const before = stream.bus.wantsEarly()
    await subscribe('swap')
    const during = stream.bus.wantsEarly()
    await client.ask({ id: 2, method: 'swapUnsubscribe', params: { subscription_id: 2 } })

    expect([before, during, stream.bus.wantsEarly()]).toEqual([false, true, false])
  })

  it('close without a cursor to resume from, as they have none', async () => {
    await subscribe('swap')
    execute(signed(aSwap(), 'one'))

    void stream.gateway.drain(1_000)

    await client.closed
    expect(client.texts.at(-1)).toContain('"subscription_id":1,"method":"subscriptionClosed"')
    expect(client.texts.at(-1)).not.toContain('resume_from')
  })

  // Guards confirmed clients: nothing they get may change because of other clients.
  it("change no byte of a confirmed client's stream", async () => {
    const sentTo = async (withEarly: boolean) => {
      const other = await openGateway()
      try {
        const confirmed = await other.connect(1)
        if (withEarly) {
          const early = await other.connect(2)
          await early.ask({ id: 1, method: 'swapSubscribe', params: { commitment: 'processed' } })
        }
        await confirmed.ask({ id: 1, method: 'swapSubscribe' })
        await confirmed.ask({ id: 2, method: 'latestBlockSubscribe' })
        for (const swap of swaps) {
          other.bus.publishEarly(executed(swap))
          other.clock.advance(2)
          await other.publish(...blockOf(swap))
        }
        await confirmed.untilPong()
        return confirmed.texts
      } finally {
        await other.close()
      }
    }
    const swaps = Array.from({ length: 20 }, (_, at) => signed(aSwap(), `signature ${at}`))

    expect(await sentTo(true)).toEqual(await sentTo(false))
  })

  describe('are refused', () => {
    it.each(['newPair', 'swap', 'latestBlock'])(
      'by -32602 where the source gives confirmed data only: %s',
      async (kind) => {
        const confirmedOnly = await openGateway({ servesEarly: false })
        const other = await confirmedOnly.connect()

        const answer = await other.ask({
          id: 1,
          method: `${kind}Subscribe`,
          params: { commitment: 'processed' },
        })
        const confirmed = await other.ask({
          id: 2,
          method: `${kind}Subscribe`,
          params: { commitment: 'confirmed' },
        })
        await confirmedOnly.close()

        expect(answer.error).toMatchObject({
          code: -32602,
          message: expect.stringContaining('gives confirmed data only'),
          data: { errorType: 'NOT_AVAILABLE' },
        })
        expect(confirmed.result).toEqual({ subscription_id: 1 })
      },
    )

    it.each(['finalized', 'PROCESSED', 1, true, ['processed']])(
      'for an unknown commitment: %j',
      async (commitment) => {
        const answer = await subscribe('swap', { commitment })

        expect(answer.error).toMatchObject({
          code: -32602,
          message: expect.stringContaining('commitment must be "confirmed" or "processed"'),
        })
      },
    )

    it('with a cursor to resume from', async () => {
      const answer = await subscribe('swap', { resume_from: aSwap().cursor })

      expect(answer.error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('cannot be resumed'),
      })
      expect(stream.gateway.stats().subscriptions).toBe(0)
    })

    it('in an update, and next to params', async () => {
      await client.ask({ id: 1, method: 'swapSubscribe' })

      const update = { subscription_id: 1, params: { commitment: 'processed' } }
      const inUpdate = await client.ask({ id: 2, method: 'updateSubscriptionParams', params: update })
      const beside = await client.ask({ id: 3, method: 'newPairSubscribe', Commitment: 'processed' })

      expect(inUpdate.error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('An update cannot change commitment'),
      })
      expect(beside.error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('commitment is outside params'),
      })
    })
  })
})
