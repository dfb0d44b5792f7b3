import type { Interest } from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HubClient } from './hub-member.ts'
import { createLanes } from './lanes.ts'
import { aBlock, address, aNewPair, aSwap } from './testing/events.ts'
import { createTurnClock } from './testing/turn-clock.ts'

/** More than all that is published takes in any run. */
const TURNS_TO_SETTLE = 100

/** A client: the pools it follows, all without any, whether it asks for times, and of how many swaps its meter has. */
type Wish = Readonly<{ pools: readonly number[]; timestamps: boolean; meter: number | undefined; id: number }>

const limits = {
  ...{ windowMs: 11, restOwedMs: 0, windowMaxEvents: 1_000, recentEvents: 10 },
  ...{ lanes: 3, laneRun: 1, turnMs: 3 },
}

/** Lanes with these clients, and what each of them was written. A write takes `writeMs`. */
function openLanes(wishes: readonly Wish[], writeMs = 0) {
  const { clock: turnClock, pass, turn } = createTurnClock()
  // Who is written to when differs, and so what frames would say of it.
  const clock = { ...turnClock, now: () => 7 }
  const lanes = createLanes({ clock, limits, beforeFlush() {}, afterFlush() {} })
  const got = wishes.map((): string[] => [])
  const counted = wishes.map(() => 0)
  const members = wishes.map(({ meter, id, ...wish }, at) => {
    let left = meter ?? 0
    const take = () => left-- > 0
    const client: HubClient = {
      outbox: {
        write({ bytes }) {
          pass(writeMs)
          got[at]!.push(bytes.toString('latin1'))
          return true
        },
      },
      overflowed() {},
      sent({ swap, bytes }) {
        counted[at]! += swap * 1_000_000 + bytes
      },
      swapMeter: () => (meter === undefined ? undefined : { take, giveBack() {} }),
    }
    const hub = lanes.assign()
    const subscribe = (pools: readonly number[]) => {
      const interest = swapsOf({ ...wish, pools })
      hub.put(client, 'swap', { id, kind: 'swap', commitment: 'confirmed', interest })
    }
    subscribe(wish.pools)
    const pairs: Interest = {
      ...{ kind: 'newPair', timestamps: wish.timestamps },
      ...{ includeLaunchpads: true, sourceExchanges: null },
    }
    hub.put(client, 'newPair', { id: id + 1, kind: 'newPair', commitment: 'confirmed', interest: pairs })
    return { hub, subscribe }
  })
  return { lanes, members, got, counted, turn, pass }
}

function swapsOf({ pools, timestamps }: Pick<Wish, 'pools' | 'timestamps'>): Interest {
  const named = { pools: new Set(pools.map(address)), wallets: new Set<string>(), mints: new Set<string>() }
  const filter = pools.length === 0 ? null : { ...named, usdAtLeast: null }
  return { kind: 'swap', timestamps, accountsInFilter: pools.length, filter }
}

const aSwapOf = (pool: number) => aSwap({ ammAccount: address(pool) })

const aWish = (change: Partial<Wish> = {}): Wish => ({
  ...{ pools: [1], timestamps: false, meter: undefined, id: 1 },
  ...change,
})

/** A swap, and how often somebody looked at what it says. */
function aWatchedSwap() {
  const swap = aSwapOf(1)
  const { params } = swap
  let looks = 0
  const get = () => {
    looks++
    return params
  }
  return { swap: Object.defineProperty(swap, 'params', { get }), looks: () => looks }
}

describe('expected events', () => {
  it('are looked at when they are expected, and not again when they are published', () => {
    const { lanes, got, turn } = openLanes([aWish(), aWish({ pools: [1, 2] }), aWish()])
    const watched = [aWatchedSwap(), aWatchedSwap()]
    const swaps = watched.map(({ swap }) => swap)
    const looks = () => watched.reduce((sum, { looks }) => sum + looks(), 0)

    const batch = [...swaps, aBlock()]

    lanes.expect(batch)
    for (let lane = 0; lane < limits.lanes; lane++) turn()
    const before = looks()
    lanes.publish(batch)
    turn()

    expect(before).toBeGreaterThan(0)
    expect(looks()).toBe(before)
    expect(got.map(([text]) => text?.match(/"cursor"/g)?.length)).toEqual([2, 2, 2])
  })

  it('are made ready in a lane a turn', () => {
    const { lanes, turn } = openLanes([aWish(), aWish(), aWish()])
    const { swap, looks } = aWatchedSwap()

    lanes.expect([swap])
    const inTurns = [looks()]
    for (let at = 1; at < limits.lanes; at++) {
      turn()
      inTurns.push(looks())
    }

    expect(inTurns).toEqual([...new Set(inTurns)].sort((one, other) => one - other))
    expect(inTurns).toHaveLength(limits.lanes)
  })

  it('are not sent when they do not come', () => {
    const { lanes, got, turn } = openLanes([aWish()])
    const [expected, other] = [aSwapOf(1), aSwapOf(1)]

    lanes.expect([expected])
    turn()
    lanes.publish([other])
    turn()

    expect(got[0]).toHaveLength(1)
    expect(got[0]![0]).toContain(other.cursor)
  })

  it('make no frames for broad filters beyond a bound of memory, and are sent all the same', () => {
    const clients = Array.from({ length: 90 }, () => aWish({ pools: [1, 2] }))
    const { lanes, got, turn } = openLanes(clients)
    const watched = Array.from({ length: 150 }, () => aWatchedSwap())
    const swaps = watched.map(({ swap }) => swap)
    const looks = () => watched.reduce((sum, each) => sum + each.looks(), 0)

    lanes.expect(swaps)
    for (let lane = 0; lane < limits.lanes; lane++) turn()
    const before = looks()
    lanes.publish(swaps)
    lanes.close()

    // Whose frames were not made ahead has them made, and counted, now.
    expect(looks()).toBeGreaterThan(before)
    expect(got.map((writes) => writes.join('').match(/"cursor"/g)?.length)).toEqual(clients.map(() => 150))
  })

  it('go to whoever gets most of them first, of all lanes', () => {
    const { lanes, got, turn } = openLanes(
      [aWish(), aWish({ pools: [1, 2] }), aWish({ pools: [1, 2, 3] })],
      3,
    )
    const swaps = [aSwapOf(1), aSwapOf(2), aSwapOf(3)]
    lanes.expect(swaps)
    for (let lane = 0; lane < limits.lanes; lane++) turn()

    lanes.publish(swaps)
    const inTurns = Array.from({ length: limits.lanes }, () => {
      turn()
      return got.map((writes) => writes.length)
    })

    expect(inTurns).toEqual([
      [0, 0, 1],
      [0, 1, 1],
      [1, 1, 1],
    ])
  })

  it('go out under the id of each client, where lanes have both who wants some and who wants all', () => {
    const ids = [11, 12, 13, 14, 15, 16]
    const { lanes, got, turn } = openLanes(ids.map((id, at) => aWish({ id, pools: at < 3 ? [1] : [] })))
    const swap = aSwapOf(1)
    lanes.expect([swap])
    for (let lane = 0; lane < limits.lanes; lane++) turn()

    lanes.publish([swap])
    turn()

    expect(got.map(([text]) => Number(/"subscription_id":(\d+)/.exec(text!)![1]))).toEqual(ids)
  })

  it('change nothing of what clients get, in which order, and what is counted for them', () => {
    const wish = fc.record({
      pools: fc.subarray([1, 2, 3]),
      timestamps: fc.boolean(),
      meter: fc.option(fc.nat(6), { nil: undefined }),
      id: fc.constantFrom(1, 14, 15, 120),
    })
    const part = fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) },
      { weight: 1, arbitrary: fc.constant('pair' as const) },
    )
    const step = fc.oneof(
      fc.record({
        block: fc.array(part, { minLength: 1, maxLength: 12 }),
        turnsAhead: fc.nat(4),
        comes: fc.constantFrom('as expected', 'otherwise', 'never'),
      }),
      fc.record({ turns: fc.nat(3) }),
      fc.record({ who: fc.nat(), pools: fc.subarray([1, 2, 3]) }),
    )
    fc.assert(
      fc.property(
        fc.array(wish, { minLength: 1, maxLength: 9 }),
        fc.array(step, { maxLength: 25 }),
        fc.constantFrom(0, 0.4, 2),
        (wishes, steps, writeMs) => {
          const blocks = steps.map((each) => ('block' in each ? eventsOf(each.block) : []))
          const play = (isTold: boolean) => {
            const { lanes, members, got, counted, turn, pass } = openLanes(wishes, writeMs)
            for (const [at, each] of steps.entries()) {
              if ('block' in each) {
                const events = blocks[at]!
                if (isTold) lanes.expect(events)
                for (let count = 0; count < each.turnsAhead; count++) turn()
                if (each.comes === 'as expected') lanes.publish(events)
                if (each.comes === 'otherwise') lanes.publish(events.slice(1))
              } else if ('turns' in each) {
                for (let count = 0; count < each.turns; count++) {
                  turn()
                  pass(1)
                }
              } else {
                // Between which events a change comes depends on what is on its way.
                for (let count = 0; writeMs > 0 && count < TURNS_TO_SETTLE; count++) {
                  turn()
                  pass(1)
                }
                const { hub, subscribe } = members[each.who % members.length]!
                hub.atEdge(() => subscribe(each.pools))
              }
            }
            lanes.close()
            return { got: got.map((writes) => writes.join('')), counted }
          }

          expect(play(true)).toEqual(play(false))
        },
      ),
      { numRuns: 200 },
    )
  })
})

/** Events of a block: pairs, and swaps of these pools. */
function eventsOf(parts: readonly ('pair' | number)[]) {
  const events = parts.map((part) => (part === 'pair' ? aNewPair() : aSwapOf(part)))
  for (const event of events) Object.assign(event, { receivedAt: 7 })
  return [...events, aBlock()]
}
