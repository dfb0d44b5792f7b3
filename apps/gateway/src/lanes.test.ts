import type { Interest } from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Frames } from './frames.ts'
import type { Hub } from './hub.ts'
import type { HubClient } from './hub-member.ts'
import { createLanes } from './lanes.ts'
import { aBlock, address, aSwap } from './testing/events.ts'
import { createTurnClock } from './testing/turn-clock.ts'

const LANES = 8
const SWAPS: Interest = { kind: 'swap', timestamps: false, filter: null, accountsInFilter: 0 }
const BLOCKS: Interest = { kind: 'latestBlock', timestamps: false }

/**
 * Lanes to which clients come one after the other, each with what `held` says, so many of them that each lane has one
 * unless there are more. A write takes `writeMs`; time moves by that alone, and by turns of the loop.
 */
function openLanes(writeMs: number, held: readonly (readonly Interest[])[] = Array(LANES).fill([SWAPS])) {
  const { clock, pass, turn } = createTurnClock()
  const lanes = createLanes({
    clock,
    limits: {
      windowMs: 11,
      restOwedMs: 0,
      windowMaxEvents: 1_000,
      recentEvents: 10,
      lanes: LANES,
      laneRun: 1,
      turnMs: 3,
    },
    beforeFlush() {},
    afterFlush() {},
  })
  const writes: number[] = []
  const given = held.map((): { frames: Frames; text: string }[] => [])
  const members: { hub: Hub; client: HubClient }[] = []
  for (const [at, interests] of held.entries()) {
    const write = (frames: Frames) => {
      pass(writeMs)
      writes.push(at)
      given[at]!.push({ frames, text: frames.bytes.toString('latin1') })
      return true
    }
    const client: HubClient = {
      outbox: { write },
      overflowed() {},
      sent() {},
      swapMeter: () => undefined,
    }
    const hub = lanes.assign()
    members.push({ hub, client })
    for (const interest of interests)
      hub.put(client, interest.kind, {
        ...{ id: at + 1, kind: interest.kind, commitment: 'confirmed', interest },
      })
  }

  return {
    lanes,
    members,
    writes,
    given,
    turn,
    pass,
  }
}

describe('lanes', () => {
  it('share the turns of the loop: windows of several do not follow one another in one turn for long', () => {
    const { lanes, writes, turn } = openLanes(2)
    lanes.publish([aSwap()])

    const inTurns: number[] = []
    while (writes.length < LANES) {
      const before = writes.length
      turn()
      inTurns.push(writes.length - before)
    }

    expect(inTurns).toEqual([2, 2, 2, 2])
    expect(writes).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  it('end their windows at times of their own', () => {
    const { lanes, writes, turn, pass } = openLanes(0.5)
    lanes.publish([aSwap()])
    while (writes.length < LANES) turn()

    lanes.publish([aSwap()])
    const perMs: number[] = []
    for (let ms = 0; ms < 12; ms++) {
      const before = writes.length
      // For timers, and for what they begin.
      turn()
      turn()
      perMs.push(writes.length - before)
      pass(1)
    }

    expect(writes).toHaveLength(2 * LANES)
    expect(perMs.filter((writes) => writes > 0).length).toBeGreaterThanOrEqual(3)
  })

  it('carry a change out once each of them has had an edge', () => {
    const { lanes, writes, turn } = openLanes(2)
    const seen: number[] = []
    lanes.atEdges(() => seen.push(writes.length))

    lanes.publish([aSwap()])
    lanes.atEdges(() => seen.push(writes.length))
    while (writes.length < LANES) turn()

    expect(seen).toEqual([0, LANES])
  })

  it('write the same bytes where their windows hold the same events', () => {
    const { lanes, given, turn } = openLanes(0, Array(LANES).fill([SWAPS]))
    lanes.publish([aSwap(), aSwap(), aSwap()])
    while (given.some((frames) => frames.length === 0)) turn()

    expect(new Set(given.map(([first]) => first!.frames)).size).toBe(1)
  })

  it('give each client what it wants, in order, under its own id, whatever windows they share', () => {
    const wish = fc.constantFrom([SWAPS], [SWAPS, BLOCKS], [BLOCKS])
    const step = fc.oneof(
      fc.constantFrom(aSwap, aBlock).map((make) => ({ make, turns: 0 })),
      fc.nat(2).map((turns) => ({ make: undefined, turns })),
    )
    fc.assert(
      fc.property(
        fc.array(wish, { minLength: 1, maxLength: 24 }),
        fc.array(step, { maxLength: 30 }),
        fc.constantFrom(0, 0.3, 2),
        (held, steps, writeMs) => {
          const { lanes, given, turn, pass } = openLanes(writeMs, held)
          const events = steps.flatMap(({ make, turns }) => {
            for (let at = 0; at < turns; at++) {
              turn()
              pass(1)
            }
            const event = make?.()
            if (event) lanes.publish([event])
            return event ? [event] : []
          })
          lanes.close()

          const wanted = held.map((interests, at) =>
            events
              .filter(({ kind }) => interests.some((interest) => interest.kind === kind))
              .map(({ cursor }) => `${at + 1} ${cursor}`),
          )
          const frame = /"subscription_id":(\d+).*?"cursor":"([^"]+)"/gs
          const got = given.map((writes) =>
            writes.flatMap(({ text }) =>
              [...text.matchAll(frame)].map(([, id, cursor]) => `${id} ${cursor}`),
            ),
          )
          expect(got).toEqual(wanted)
        },
      ),
      { numRuns: 60 },
    )
  })

  // Lanes are given the same events, and each changes its subscriptions between two of its own windows.
  it('give each client exactly what its filter wants, while filters change at the edges of their own lanes', () => {
    const pools = fc.subarray([1, 2, 3, 4])
    const step = fc.oneof(
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }).map((slot) => ({ slot })),
      fc.nat(2).map((turns) => ({ turns })),
      fc.tuple(fc.nat(), pools).map(([who, wish]) => ({ who, wish })),
    )
    fc.assert(
      fc.property(
        fc.array(pools, { minLength: 1, maxLength: 12 }),
        fc.array(step, { maxLength: 40 }),
        fc.constantFrom(0, 0.3, 2),
        (wishes, steps, writeMs) => {
          const { lanes, members, given, turn, pass } = openLanes(writeMs, wishes.map(wants))
          const published: { cursor: string; pool: number }[] = []
          const wanted = wishes.map((wish): { from: number; wish: readonly number[] }[] => [
            { from: 0, wish },
          ])
          for (const each of steps) {
            if ('slot' in each) {
              const swaps = each.slot.map((pool) => aSwap({ ammAccount: address(pool) }))
              published.push(...swaps.map(({ cursor }, at) => ({ cursor, pool: each.slot[at]! })))
              lanes.publish(swaps)
            } else if ('turns' in each) {
              for (let at = 0; at < each.turns; at++) {
                turn()
                pass(1)
              }
            } else {
              const who = each.who % members.length
              const { hub, client } = members[who]!
              const [interest] = wants(each.wish)
              hub.atEdge(() => {
                // What waits behind the window that was on its way is for the new wish.
                const last = hub.position() ?? ''
                const from = published.filter(({ cursor }) => cursor <= last).length
                wanted[who]!.unshift({ from, wish: each.wish })
                const held = { id: who + 1, kind: 'swap', commitment: 'confirmed' } as const
                hub.put(client, 'swap', interest && { ...held, interest })
              })
            }
          }
          lanes.close()

          const expected = wanted.map((changes) =>
            published
              .filter(({ pool }, at) => changes.find(({ from }) => from <= at)!.wish.includes(pool))
              .map(({ cursor }) => cursor),
          )
          const got = given.map((writes) =>
            writes.flatMap(({ text }) =>
              [...text.matchAll(/"cursor":"([^"]+)"/g)].map(([, cursor]) => cursor),
            ),
          )
          expect(got).toEqual(expected)
        },
      ),
      { numRuns: 100 },
    )
  })
})

/** A subscription to these pools; none to no pool. */
function wants(wish: readonly number[]): readonly Interest[] {
  if (wish.length === 0) return []
  const filter = { pools: new Set(wish.map(address)), wallets: new Set<string>(), mints: new Set<string>() }
  return [{ kind: 'swap', timestamps: false, accountsInFilter: 1, filter: { ...filter, usdAtLeast: null } }]
}
