import { describe, expect, it } from 'vitest'
import type { HubClient } from './hub-member.ts'
import { createLanes } from './lanes.ts'
import { aSwap } from './testing/events.ts'

const LANES = 8

/** Lanes with a client each, to which a write takes `writeMs`; time moves by that alone, and by turns of the loop. */
function openLanes(writeMs: number) {
  let now = 0
  let timers: { at: number; callback: () => void }[] = []
  const clock = {
    now: () => now,
    elapsed: () => now,
    after(ms: number, callback: () => void) {
      const timer = { at: now + ms, callback }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
  }
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
  const clients = Array.from({ length: LANES }, (_, at): HubClient => {
    const write = () => {
      now += writeMs
      writes.push(at)
      return true
    }
    return { outbox: { write }, overflowed() {}, sent() {}, swapMeter: () => undefined }
  })
  const interest = { kind: 'swap', timestamps: false, filter: null, accountsInFilter: 0 } as const
  for (const client of clients) lanes.assign().put(client, 'swap', { id: 1, kind: 'swap', interest })

  return {
    lanes,
    writes,
    /** One turn of the loop: what is due when it begins. */
    turn() {
      const due = timers.filter(({ at }) => at <= now)
      timers = timers.filter(({ at }) => at > now)
      for (const { callback } of due) callback()
    },
    wait(ms: number) {
      now += ms
    },
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
    const { lanes, writes, turn, wait } = openLanes(0.5)
    lanes.publish([aSwap()])
    while (writes.length < LANES) turn()

    lanes.publish([aSwap()])
    const perMs: number[] = []
    for (let ms = 0; ms < 12; ms++) {
      const before = writes.length
      turn()
      perMs.push(writes.length - before)
      wait(1)
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
})
