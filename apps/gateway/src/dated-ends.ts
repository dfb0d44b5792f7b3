import type { Clock } from '@pairwire/process'
import { createDeadlines } from './deadlines.ts'

/**
 * Calls back when a date comes. Dates are waited for by the clock that never steps back: set forward, they come
 * earlier; set back, the moment stays, and who is called looks at the date.
 */
type DatedEnds<Item> = Readonly<{
  /** Waits `ms` for the item, in place of what it waited for. */
  set(item: Item, ms: number): void
  delete(item: Item): void
  /** Calls back for all whose moment has come, without waiting for the timer. */
  check(): void
  close(): void
}>

/** Makes an empty one. `onDue` gets the items whose moment has come, the earliest first. */
export function createDatedEnds<Item>(
  clock: Clock,
  onDue: (items: readonly Item[]) => void,
): DatedEnds<Item> {
  const deadlines = createDeadlines<Item>()
  /** By how much the clock of dates was ahead of the other one when it was last looked at. */
  let ahead = clock.now() - clock.elapsed()
  /** By how much it has been set forward in all; moments are of a clock that goes with it. */
  let stepped = 0
  let timerAt = Number.POSITIVE_INFINITY
  let cancelTimer = () => {}
  let isClosed = false

  const now = () => clock.elapsed() + stepped

  const schedule = () => {
    const next = deadlines.next()
    if (isClosed || next >= timerAt) return
    cancelTimer()
    timerAt = next
    cancelTimer = clock.after(Math.min(Math.max(next - now(), 1), LONGEST_TIMER_MS), () => {
      timerAt = Number.POSITIVE_INFINITY
      check()
      schedule()
    })
  }

  const followDates = () => {
    const stepMs = clock.now() - clock.elapsed() - ahead
    if (Math.abs(stepMs) < CLOCK_STEP_MS) return
    ahead += stepMs
    if (stepMs > 0) stepped += stepMs
  }

  const check = () => {
    followDates()
    if (now() < deadlines.next()) return
    onDue(deadlines.takeDue(now()))
    schedule()
  }

  return {
    set(item, ms) {
      if (ms === Number.POSITIVE_INFINITY) {
        deadlines.delete(item)
        return
      }
      deadlines.set(item, now() + ms)
      schedule()
    },
    delete: (item) => deadlines.delete(item),
    check,
    close() {
      isClosed = true
      cancelTimer()
    },
  }
}

/** Milliseconds by which the two clocks may differ from before without a step: they are not read in one moment. */
const CLOCK_STEP_MS = 1_000

/** The longest that a timer can wait: 2^31 - 1 ms. */
const LONGEST_TIMER_MS = 2_147_483_647
