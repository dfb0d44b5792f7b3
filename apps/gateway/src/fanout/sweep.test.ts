import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import { createSweep } from './sweep.ts'

describe('sweeps', () => {
  /** Sweeps of a second, and the items examined since the last call. */
  function sweeps(count: number) {
    const clock = createManualClock()
    const items = new Set(Array.from({ length: count }, (_, at) => at))
    let seen: number[] = []
    let begun = 0
    const look = (item: number) => {
      seen.push(item)
    }
    const begin = () => {
      begun++
    }
    const { wake } = createSweep({ items, begin, look, clock, everyMs: 1_000 })
    wake()
    const within = (ms: number) => {
      seen = []
      clock.advance(ms)
      return seen
    }
    return { clock, items, wake, within, begun: () => begun }
  }

  it('examine each item once, a second after the first came', () => {
    const { items, within } = sweeps(3)

    const early = within(999)
    const looked = within(1_000)

    expect(early).toEqual([])
    expect(looked).toEqual([...items])
  })

  // A thousand pings at once blocked the event loop for eight milliseconds.
  it('examine a twentieth of a thousand in each step, and all in a sweep', () => {
    const { items, within, begun } = sweeps(1_000)
    within(999)

    const steps = Array.from({ length: 20 }, () => within(50))

    expect(steps.map(({ length }) => length)).toEqual(Array.from({ length: 20 }, () => 50))
    expect(steps.flat()).toEqual([...items])
    expect(begun()).toBe(1)
  })

  it('follow each other by a second, however many there are', () => {
    const few = sweeps(2)
    const many = sweeps(1_000)
    for (const { within } of [few, many]) within(1_000)

    expect(few.within(10_000)).toHaveLength(20)
    expect(many.within(10_000)).toHaveLength(10_000)
    expect([few.begun(), many.begun()]).toEqual([11, 11])
  })

  it('skip items that have left, and examine those that joined during a sweep', () => {
    const { items, within } = sweeps(100)
    within(1_000)

    items.delete(50)
    items.add(1_000)
    const rest = within(1_000)

    expect(rest.slice(0, 95)).toEqual([...items].slice(5))
    expect(rest).not.toContain(50)
  })

  it('sleep while the set is empty, until they are woken', () => {
    const { items, wake, within, begun } = sweeps(1)
    within(1_000)
    items.clear()
    within(10_000)
    const begunBefore = begun()

    items.add(7)
    const asleep = within(10_000)
    wake()
    const awake = within(1_000)

    expect(asleep).toEqual([])
    expect(awake).toEqual([7])
    expect(begun()).toBe(begunBefore + 1)
  })
})
