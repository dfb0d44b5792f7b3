import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import { createTurnClock } from '../testing/turn-clock.ts'

import { createWindow, Scheduler } from './window.ts'

/** A window whose sending takes `sendMs` of the clock. */
function openWindow(sendMs: number, restOwedMs = 0) {
  const manual = createManualClock()
  let spent = 0
  const clock = { ...manual, elapsed: () => manual.elapsed() + spent }
  const sent: number[][] = []
  const window = createWindow<number>({
    clock,
    limits: { windowMs: 5, restOwedMs, windowMaxEvents: 100 },
    scheduler: new Scheduler(clock, Number.POSITIVE_INFINITY),
    restFactor: () => 10,
    *send(items) {
      sent.push([...items])
      spent += sendMs
      yield
    },
  })
  return { advance: manual.advance, sent, window }
}

describe('window', () => {
  it('is sent in the same turn of the loop when nothing was sent just before, for whole slots and single events', () => {
    const { window, advance, sent } = openWindow(0.02)
    const slot = Array.from({ length: 60 }, (_, at) => at)

    window.add(slot)
    window.add([60])
    advance(0)
    advance(1)
    window.add([61])
    advance(0)

    expect(sent).toEqual([[...slot, 60], [61]])
  })

  it('continues with later items after a window that failed', () => {
    const { clock, turn } = createTurnClock()
    const sent: number[] = []
    const window = createWindow<number>({
      clock,
      limits: { windowMs: 5, restOwedMs: 0, windowMaxEvents: 100 },
      scheduler: new Scheduler(clock, 3),
      restFactor: () => 10,
      *send(items) {
        yield
        if (items.includes(1)) throw new Error('a listener broke')
        sent.push(...items)
      },
    })

    window.add([1])
    expect(turn).toThrow('a listener broke')
    window.add([2])
    turn()

    expect(sent).toEqual([2])
  })

  // Windows of several shards are given the same list.
  it('does not modify a list passed to add', () => {
    const { window, advance, sent } = openWindow(0)
    const slot = [1, 2]

    window.add(slot)
    window.add([3])
    advance(0)

    expect(sent).toEqual([[1, 2, 3]])
    expect(slot).toEqual([1, 2])
  })

  it('waits ten times as long as the last one took', () => {
    const { window, advance, sent } = openWindow(0.3)
    window.add([1])
    advance(0)

    window.add([2])
    advance(1)
    window.add([3])
    advance(1.9)
    expect(sent).toEqual([[1]])
    advance(0.2)

    expect(sent).toEqual([[1], [2, 3]])
  })

  it('sends the pieces of a slot as they come after a pause, and rests for them afterwards', () => {
    const { window, advance, sent } = openWindow(0.4, 5)
    for (const piece of [1, 2]) {
      window.add([piece])
      advance(0)
    }
    expect(sent).toEqual([[1], [2]])

    window.add([3])
    advance(2)
    expect(sent).toHaveLength(2)
    advance(1)
    expect(sent).toEqual([[1], [2], [3]])

    advance(20)
    window.add([4])
    advance(0)
    expect(sent).toHaveLength(4)
  })

  it('never waits longer than its limit', () => {
    const { window, advance, sent } = openWindow(20)
    window.add([1])
    advance(0)

    window.add([2])
    advance(4.9)
    expect(sent).toEqual([[1]])
    advance(0.2)

    expect(sent).toEqual([[1], [2]])
  })

  it('delays changes to its end, and runs them at once when it is empty', () => {
    const { window, advance, sent } = openWindow(0)
    const seen: number[] = []

    window.atEdge(() => seen.push(sent.length))
    window.add([1])
    window.atEdge(() => seen.push(sent.length))
    advance(0)

    expect(seen).toEqual([0, 1])
  })

  describe('that does not fit a turn of the loop', () => {
    /** Each item is a step of two milliseconds, in turns of three. */
    function openSteps() {
      const { clock, pass, turn } = createTurnClock()
      const sent: number[] = []
      const window = createWindow<number>({
        clock,
        limits: { windowMs: 5, restOwedMs: 0, windowMaxEvents: 100 },
        scheduler: new Scheduler(clock, 3),
        restFactor: () => 10,
        *send(items) {
          for (const item of items) {
            yield
            sent.push(item)
            pass(2)
          }
        },
      })
      return { pass, turn, sent, window }
    }

    it('is sent over several, and changes wait for its end', () => {
      const { window, turn, sent } = openSteps()
      const seen: number[][] = []
      window.add([1, 2, 3])
      window.atEdge(() => seen.push([...sent]))

      turn()
      window.add([4])
      window.atEdge(() => seen.push([...sent]))
      expect(sent).toEqual([1, 2])
      expect(seen).toEqual([])
      turn()

      expect(sent.slice(0, 3)).toEqual([1, 2, 3])
      expect(seen[0]).toEqual([1, 2, 3])
    })

    it('is finished at once for a caller that needs to know what was sent, and later items follow', () => {
      const { window, pass, turn, sent } = openSteps()
      window.add([1, 2, 3])
      turn()
      window.add([4])

      window.finish()
      expect(sent).toEqual([1, 2, 3])
      for (let turns = 0; turns < 3; turns++) {
        pass(10)
        turn()
      }

      expect(sent).toEqual([1, 2, 3, 4])
    })

    it('is not interrupted by changes while something else writes to clients', () => {
      const { window, turn, sent } = openSteps()
      const seen: number[][] = []
      window.add([1, 2, 3])
      window.atEdge(() => seen.push([...sent]))
      turn()

      window.hold(() => {})
      expect(seen).toEqual([])
      window.flush()

      expect(seen).toEqual([[1, 2, 3]])
    })
  })
})
