import type { StreamEvent, StreamKind } from '@pairwire/contract'
import type { Interest } from '@pairwire/filter'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { websocketCodec } from '../codecs/websocket-codec.ts'
import type { Meter } from '../protocol/subscription.ts'
import { aBlock, address, aSwap } from '../testing/events.ts'
import { createTurnClock } from '../testing/turn-clock.ts'
import { Hub } from './hub.ts'
import type { HubClient } from './hub-member.ts'

const SWAPS: Interest = { kind: 'swap', timestamps: false, facts: false, filter: null, accountsInFilter: 0 }
const BLOCKS: Interest = { kind: 'latestBlock', timestamps: false, facts: false }
/** Some clients have the same ids, and ids vary in length. */
const IDS = [1, 2, 10, 123]

/** The swaps a client wants: those of some pools, or all. */
type Wish = readonly number[] | 'all'

/** A hub with one client per wish; a write takes `writeMs`. Time moves only by that, and by turns of the loop. */
function openHub(
  writeMs: number,
  held: readonly (readonly Interest[])[],
  swapsEnded: (at: number) => void = () => {},
) {
  const { clock, pass, turn } = createTurnClock()
  const hub = new Hub({
    clock,
    limits: { windowMs: 11, restOwedMs: 0, windowMaxEvents: 1_000, recentEvents: 1_000, turnMs: 3 },
  })
  const clients = held.map((interests, at) => {
    const id = IDS[at % IDS.length]!
    const texts: string[] = []
    const state = {
      isStalled: false,
      /** Swaps that its plan still allows; undefined without a cap. */
      left: undefined as number | undefined,
      /** Its cursor when it had to leave. */
      place: undefined as string | undefined,
      counted: 0,
    }
    const endSwaps = () =>
      hub.atEdge(() => {
        hub.put(client, 'swap', undefined)
        swapsEnded(at)
      })
    const meter: Meter = {
      take() {
        if (!state.left) return false
        state.left--
        if (state.left === 0) endSwaps()
        return true
      },
      giveBack(count) {
        state.left! += count
      },
    }
    const client: HubClient = {
      codec: websocketCodec,
      outbox: {
        write(frames) {
          pass(writeMs)
          if (state.isStalled) return false
          texts.push(frames.bytes.toString('latin1'))
          return true
        },
      },
      overflowed() {
        hub.leave(client)
        state.place = hub.place() ?? ''
      },
      sent({ swap, latestBlock }) {
        state.counted += swap + latestBlock
      },
      meter: (kind) => (kind === 'swap' && state.left !== undefined ? meter : undefined),
    }
    const put = (kind: StreamKind, interest: Interest | undefined) =>
      hub.put(client, kind, interest && { id, kind, origin: 'confirmed', interest })
    for (const interest of interests) put(interest.kind, interest)
    /** The ids and the cursors of the events it got. */
    const got = () =>
      [...texts.join('').matchAll(/"subscription_id":(\d+).*?"cursor":"([^"]+)"/gs)].map(
        ([, id, cursor]) => `${id} ${cursor}`,
      )
    return { client, id, put, got, state }
  })
  /** Turns of the loop, of a millisecond or more. */
  const turns = (count: number) => {
    for (let at = 0; at < count; at++) {
      turn()
      pass(1)
    }
  }
  return { hub, clients, turns }
}

describe('a hub', () => {
  it('gives each client what it wants, in order, under its own id, over any number of turns', () => {
    const wish = fc.constantFrom([SWAPS], [SWAPS, BLOCKS], [BLOCKS])
    const step = fc.oneof(
      fc.constantFrom(aSwap, aBlock).map((make) => ({ make, count: 0 })),
      fc.nat(2).map((count) => ({ make: undefined, count })),
    )
    fc.assert(
      fc.property(
        fc.array(wish, { minLength: 1, maxLength: 24 }),
        fc.array(step, { maxLength: 30 }),
        fc.constantFrom(0, 0.3, 2),
        (held, steps, writeMs) => {
          const { hub, clients, turns } = openHub(writeMs, held)
          const events = steps.flatMap(({ make, count }) => {
            turns(count)
            const event = make?.()
            if (event) hub.publish([event])
            return event ? [event] : []
          })
          hub.close()

          const wanted = held.map((interests, at) =>
            events
              .filter(({ kind }) => interests.some((interest) => interest.kind === kind))
              .map(({ cursor }) => `${clients[at]!.id} ${cursor}`),
          )
          expect(clients.map(({ got }) => got())).toEqual(wanted)
        },
      ),
      { numRuns: 60 },
    )
  })

  // Whatever happens to a client between two turns of one window, it gets all of that window or nothing.
  it("gives each client exactly its subscriptions' events, while others change, leave, stall, reach a cap and lose their plan", () => {
    const wish: fc.Arbitrary<Wish> = fc.oneof(fc.subarray([1, 2, 3, 4]), fc.constant('all' as const))
    const who = fc.nat()
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc
          .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 })
          .map((slot) => ({ do: 'publish' as const, slot })),
      },
      { weight: 4, arbitrary: fc.nat(2).map((count) => ({ do: 'turn' as const, count })) },
      fc.record({ do: fc.constant('change' as const), who, wish }),
      fc.record({ do: fc.constant('plan' as const), who, cap: fc.integer({ min: 1, max: 6 }) }),
      fc.record({
        do: fc.constantFrom('unsubscribe' as const, 'leave' as const, 'stall' as const, 'losePlan' as const),
        who,
      }),
    )
    fc.assert(
      fc.property(
        fc.array(fc.record({ wish, blocks: fc.boolean() }), { minLength: 1, maxLength: 12 }),
        fc.array(step, { maxLength: 50 }),
        fc.constantFrom(0, 0.3, 2),
        (held, steps, writeMs) => {
          const { hub, clients, turns } = openHub(
            writeMs,
            held.map(({ wish, blocks }) => [...interestsOf(wish), ...(blocks ? [BLOCKS] : [])]),
            (at) => hold(at, { wish: [] }),
          )
          const published: StreamEvent[] = []
          /** Each client's subscription, and the published event it starts at; the newest first. */
          const holdings = held.map((first) => [{ ...first, from: 0, left: Number.POSITIVE_INFINITY }])
          const hold = (at: number, change: Partial<{ wish: Wish; blocks: boolean; left: number }>) => {
            // Events waiting after the window in progress are for the new wish.
            const last = hub.position() ?? ''
            const from = published.filter(({ cursor }) => cursor <= last).length
            holdings[at]!.unshift({ ...holdings[at]![0]!, left: Number.POSITIVE_INFINITY, ...change, from })
          }

          for (const step of steps) {
            const at = 'who' in step ? step.who % clients.length : 0
            const { client, put, state } = clients[at]!
            const isHere = state.place === undefined
            if (step.do === 'publish') {
              const events = [...step.slot.map((pool) => aSwap({ ammAccount: address(pool) })), aBlock()]
              published.push(...events)
              hub.publish(events)
            } else if (step.do === 'turn') turns(step.count)
            else if (step.do === 'stall') state.isStalled = true
            else if (step.do === 'leave' && isHere) {
              hub.leave(client)
              state.place ??= hub.position() ?? ''
            } else if (isHere) {
              hub.atEdge(() => {
                if (state.place !== undefined) return
                if (step.do === 'plan') {
                  state.left = step.cap
                  hub.refresh(client)
                  hold(at, { left: step.cap })
                  return
                }
                const wish = step.do === 'change' ? step.wish : []
                const [interest] = interestsOf(wish)
                if (step.do === 'losePlan') hub.refresh(client)
                put('swap', interest)
                hold(at, { wish, left: state.left ?? Number.POSITIVE_INFINITY })
              })
            }
          }
          hub.close()

          const wanted = clients.map(({ id, state }, at) => {
            const changes = holdings[at]!
            const left = new Map(changes.map((holding) => [holding, holding.left]))
            return published.flatMap((event, number) => {
              const holding = changes.find(({ from }) => from <= number)!
              if (state.place !== undefined && event.cursor > state.place) return []
              if (!wants(holding, event)) return []
              if (event.kind === 'swap') {
                if (left.get(holding) === 0) return []
                left.set(holding, left.get(holding)! - 1)
              }
              return `${id} ${event.cursor}`
            })
          })
          expect(clients.map(({ got }) => got())).toEqual(wanted)
          expect(clients.map(({ state }) => state.counted)).toEqual(wanted.map(({ length }) => length))
        },
      ),
      { numRuns: 300 },
    )
  })
})

/** A subscription to these pools, or none. */
function interestsOf(wish: Wish): readonly Interest[] {
  if (wish === 'all') return [SWAPS]
  if (wish.length === 0) return []
  const filter = { pools: new Set(wish.map(address)), wallets: new Set<string>(), mints: new Set<string>() }
  return [
    {
      kind: 'swap',
      timestamps: false,
      facts: false,
      accountsInFilter: 1,
      filter: { ...filter, usdAtLeast: null },
    },
  ]
}

function wants({ wish, blocks }: { wish: Wish; blocks: boolean }, event: StreamEvent): boolean {
  if (event.kind === 'latestBlock') return blocks
  if (event.kind !== 'swap') return false
  return wish === 'all' || wish.some((pool) => address(pool) === event.params.swap.ammAccount)
}
