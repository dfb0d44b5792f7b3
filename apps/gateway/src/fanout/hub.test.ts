import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import type { PairUpdateMessage, StreamEvent, StreamKind } from '@pairwire/contract'
import { type Interest, matchesFilter } from '@pairwire/filter'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Meter } from '../protocol/subscription.ts'
import { aBlock, address, aNewPair, aSwap } from '../testing/events.ts'
import { aClient, readFrames } from '../testing/hub-client.ts'
import { everySwap, put, swapsBut, swapsOf } from '../testing/interests.ts'
import { Hub } from './hub.ts'
import type { HubClient } from './hub-member.ts'

const limits = { windowMs: 5, restOwedMs: 0, windowMaxEvents: 1_000, recentEvents: 10, turnMs: 3 }

function openHub(change: Partial<typeof limits> = {}) {
  const clock = createManualClock()
  const hub = new Hub({ clock, limits: { ...limits, ...change } })
  return { clock, hub }
}

const anUpdate = ({ cursor, params: { pair } }: ReturnType<typeof aNewPair>): PairUpdateMessage => ({
  type: 'pairUpdate',
  cursor,
  sourceExchange: pair.sourceExchange,
  update: { ammAccount: pair.ammAccount, baseToken: pair.baseToken },
})

describe('hub', () => {
  it('joins the events of a window into one write, shared by clients with equal subscriptions', () => {
    const { hub, clock } = openHub()
    const [first, second] = [aClient(), aClient()]
    put(hub, first.client, 1, everySwap)
    put(hub, second.client, 1, everySwap)

    hub.publish([aSwap(), aSwap()])
    hub.publish([aSwap()])
    expect(first.writes).toHaveLength(0)
    clock.advance(5)

    expect(first.writes).toHaveLength(1)
    expect(first.frames()).toHaveLength(3)
    expect(second.writes[0]).toBe(first.writes[0])
  })

  it('writes first to clients with the most events, so that few events wait for other sockets', () => {
    const { hub, clock } = openHub()
    const order: string[] = []
    const named = (name: string): HubClient => ({
      ...aClient().client,
      outbox: { write: () => order.push(name) > 0 },
    })
    for (const [at, name] of ['one', 'three', 'two'].entries()) {
      put(hub, named(name), 1, swapsOf(address(10 + at)))
    }

    const swap = (at: number) => aSwap({ baseTokenMint: address(10 + at) })
    hub.publish([swap(0), swap(1), swap(2), swap(1), swap(2), swap(1)])
    clock.advance(5)

    expect(order).toEqual(['three', 'two', 'one'])
  })

  it('gives 600 clients frames under their own ids, whose text is made once', () => {
    const { hub, clock } = openHub()
    const clients = Array.from({ length: 600 }, () => aClient())
    for (const [at, { client }] of clients.entries()) put(hub, client, at + 1, everySwap)
    const texts = vi.spyOn(Buffer, 'from')

    hub.publish([aSwap(), aSwap()])
    clock.advance(5)
    const made = texts.mock.calls.filter(([text]) => typeof text === 'string').length
    vi.restoreAllMocks()

    expect(made).toBe(2)
    const ids = clients.map(({ frames }) => frames().map(({ subscription_id }) => subscription_id))
    expect(ids).toEqual(clients.map((_, at) => [at + 1, at + 1]))
  })

  it('executes requests at the edge of the window, in their order', () => {
    const { hub, clock } = openHub()
    const client = aClient()
    const order: string[] = []
    put(hub, aClient().client, 1, everySwap)

    hub.atEdge(() => order.push('at once, as nothing waits'))
    hub.publish([aSwap()])
    hub.atEdge(() => put(hub, client.client, 1, everySwap))
    hub.atEdge(() => order.push('later'))
    expect(order).toHaveLength(1)
    clock.advance(5)
    const late = aSwap()
    hub.publish([late])
    clock.advance(5)

    expect(order).toEqual(['at once, as nothing waits', 'later'])
    expect(client.cursors()).toEqual([late.cursor])
  })

  it('spreads a large batch over turns of the loop, in order', () => {
    const { hub, clock } = openHub({ windowMaxEvents: 10 })
    const client = aClient()
    put(hub, client.client, 1, everySwap)
    const swaps = Array.from({ length: 25 }, () => aSwap())

    hub.publish(swaps)
    clock.advance(0)

    expect(client.writes.map((bytes) => readFrames(bytes).length)).toEqual([10, 10, 5])
    expect(client.cursors()).toEqual(swaps.map(({ cursor }) => cursor))
  })

  it('sends what is waiting when it is closed, and takes nothing more', () => {
    const { hub, clock } = openHub({ windowMaxEvents: 2 })
    const client = aClient()
    put(hub, client.client, 1, everySwap)
    hub.publish([aSwap(), aSwap(), aSwap()])

    hub.close()
    hub.publish([aSwap()])
    clock.advance(100)

    expect(client.frames()).toHaveLength(3)
  })

  it('adds the times of arrival and sending next to the cursor on request', () => {
    const { hub, clock } = openHub()
    const [timed, plain] = [aClient(), aClient()]
    put(hub, timed.client, 1, { ...everySwap, timestamps: true })
    put(hub, plain.client, 1, everySwap)
    const cameAt = clock.now()

    const event = aSwap()
    hub.publish([event])
    clock.step(5)
    clock.advance(0)

    expect(Object.entries(timed.frames()[0]).slice(3)).toEqual([
      ['cursor', event.cursor],
      ['receivedAt', cameAt],
      ['sentAt', cameAt + 5],
    ])
    expect(Object.keys(plain.frames()[0])).toEqual(['subscription_id', 'method', 'params', 'cursor'])
  })

  it('sends a pair update to those who wanted the pair, after the pair and under its own id', () => {
    const { hub, clock } = openHub()
    const [all, pools, curves, swaps] = [aClient(), aClient(), aClient(), aClient()]
    const pairs = {
      kind: 'newPair',
      timestamps: false,
      facts: false,
      includeLaunchpads: true,
      sourceExchanges: null,
      stages: null,
      creators: null,
      accountsInFilter: 0,
    } as const
    put(hub, all.client, 1, pairs)
    put(hub, pools.client, 2, { ...pairs, includeLaunchpads: false })
    put(hub, curves.client, 3, { ...pairs, sourceExchanges: new Set(['pumpfun']) })
    put(hub, swaps.client, 4, everySwap)
    const pair = aNewPair({ sourceExchange: 'pumpfun' })
    const { ammAccount, baseToken } = pair.params.pair

    hub.tell(anUpdate(pair))
    hub.publish([aSwap(), pair])
    clock.advance(5)

    const update = (id: number) => ({
      method: 'pairUpdateNotification',
      params: { subscription_id: id, ammAccount, baseToken },
    })
    expect(all.frames().map(({ method }) => method)).toEqual([
      'newPairNotification',
      'pairUpdateNotification',
    ])
    expect(all.frames()[1]).toEqual(update(1))
    expect(curves.frames()[1]).toEqual(update(3))
    expect([...pools.frames(), ...swaps.frames().slice(1)]).toEqual([])
    expect(all.told()).toBe(1)
  })

  it('keeps a pair update until the pair has come, and sends it to no replay', () => {
    const { hub, clock } = openHub()
    const client = aClient()
    put(hub, client.client, 1, {
      ...{
        kind: 'newPair',
        timestamps: false,
        facts: false,
        includeLaunchpads: true,
        sourceExchanges: null,
        stages: null,
        creators: null,
        accountsInFilter: 0,
      },
    })
    const [first, second] = [aNewPair(), aNewPair()]

    hub.publish([first])
    hub.tell(anUpdate(second))
    clock.advance(5)
    expect(client.frames()).toHaveLength(1)
    hub.publish([second])
    clock.advance(50)

    expect(client.frames().map(({ method }) => method)).toEqual([
      'newPairNotification',
      'newPairNotification',
      'pairUpdateNotification',
    ])
    expect(hub.since(first.cursor, false)).toHaveLength(1)
    expect(hub.position()).toBe(second.cursor)
  })

  it('stops exactly at the end of an allowance, and gives back what could not be written', () => {
    const { hub, clock } = openHub()
    let left = 2
    const meter: Meter = {
      take: () => left-- > 0,
      giveBack: (count) => {
        left += count
      },
    }
    const capped = aClient(meter)
    put(hub, capped.client, 1, everySwap)

    hub.publish([aSwap(), aSwap(), aSwap()])
    clock.advance(5)

    expect(capped.frames()).toHaveLength(2)
    left = 2
    put(hub, { ...capped.client, outbox: { write: () => false } }, 1, everySwap)
    hub.leave(capped.client)
    hub.publish([aSwap()])
    clock.advance(5)
    expect(left).toBe(2)
  })

  // Compares the whole fan-out with the simplest correct one: check each subscription for each event.
  it('gives every client what a scan of its subscriptions would, in order, however they change', () => {
    const account = fc.integer({ min: 1, max: 4 }).map(address)
    const interest: fc.Arbitrary<Interest> = fc.oneof(
      fc.record({
        kind: fc.constant('newPair' as const),
        timestamps: fc.boolean(),
        facts: fc.boolean(),
        includeLaunchpads: fc.boolean(),
        sourceExchanges: fc.option(fc.constantFrom(new Set(['pumpfun']), new Set(['raydium', 'pumpfun']))),
        stages: fc.option(fc.constantFrom(new Set(['launched']), new Set(['migrated', 'listed']))),
        creators: fc.constant(null),
        accountsInFilter: fc.constant(0),
      }),
      fc.record({ kind: fc.constant('latestBlock' as const), timestamps: fc.boolean(), facts: fc.boolean() }),
      fc.boolean().map((timestamps) => ({ ...everySwap, timestamps })),
      account.map(swapsOf),
      fc.tuple(account, fc.boolean()).map(([mint, timestamps]) => ({ ...swapsBut(mint), timestamps })),
    )
    const event = fc.oneof(
      fc.record({ baseTokenMint: account }).map((change) => () => aSwap(change)),
      fc.constantFrom('pumpfun', 'raydium').map((sourceExchange) => () => aNewPair({ sourceExchange })),
      fc.constant(() => aBlock()),
    )
    const change = fc.record({
      client: fc.nat(4),
      id: fc.integer({ min: 1, max: 40 }),
      interest,
      removes: fc.boolean(),
    })
    const step = fc.oneof({ weight: 2, arbitrary: event }, { weight: 1, arbitrary: change })

    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, isMetered) => {
        const { hub, clock } = openHub()
        const endless: Meter = { take: () => true, giveBack: () => {} }
        const clients = Array.from({ length: 5 }, (_, at) =>
          aClient(isMetered && at === 0 ? endless : undefined),
        )
        const held = clients.map(() => new Map<StreamKind, { id: number; interest: Interest }>())
        const wanted: { subscription_id: number; cursor: string; isTimed: boolean }[][] = clients.map(
          () => [],
        )

        for (const step of steps) {
          if (typeof step !== 'function') {
            const { client, id, interest, removes } = step
            clock.advance(5)
            if (removes) {
              hub.put(clients[client]!.client, interest.kind, undefined)
              held[client]!.delete(interest.kind)
            } else {
              put(hub, clients[client]!.client, id, interest)
              held[client]!.set(interest.kind, { id, interest })
            }
            continue
          }
          const event = step()
          hub.publish([event])
          for (const [at, subscriptions] of held.entries()) {
            const subscription = subscriptions.get(event.kind)
            if (subscription && wants(subscription.interest, event)) {
              const { id, interest } = subscription
              wanted[at]!.push({
                subscription_id: id,
                cursor: event.cursor,
                isTimed: interest.timestamps,
              })
            }
          }
        }
        clock.advance(5)

        const got = clients.map((client) =>
          client.frames().map(({ subscription_id, cursor, sentAt, receivedAt }) => {
            expect(receivedAt === undefined).toBe(sentAt === undefined)
            return { subscription_id, cursor, isTimed: sentAt !== undefined }
          }),
        )
        expect(got).toEqual(wanted)
        expect(clients.map((client) => client.told())).toEqual(wanted.map(({ length }) => length))
      }),
      { numRuns: 300 },
    )
  })
})

function wants(interest: Interest, event: StreamEvent): boolean {
  if (interest.kind === 'swap' && event.kind === 'swap') {
    return interest.filter === null || matchesFilter(interest.filter, event.params.swap)
  }
  if (interest.kind === 'newPair' && event.kind === 'newPair') {
    const { sourceExchange } = event.params.pair
    if (interest.sourceExchanges && !interest.sourceExchanges.has(sourceExchange)) return false
    if (interest.stages) return interest.stages.has(sourceExchange === 'pumpfun' ? 'launched' : 'listed')
    return interest.includeLaunchpads || sourceExchange !== 'pumpfun'
  }
  return interest.kind === event.kind
}
