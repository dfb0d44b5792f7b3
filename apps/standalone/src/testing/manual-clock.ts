import type { Clock as GatewayClock } from '@pairwire/gateway'
import type { Clock as IngestClock } from '@pairwire/ingest'

/** A clock of all parts that stands until it is moved. */
export type ManualClock = IngestClock &
  GatewayClock & {
    /** Moves time on, calling what is due on the way at its time. */
    advance(milliseconds: number): void
  }

/** A manual clock that begins at `now` (Unix milliseconds). */
export function createManualClock(now = Date.UTC(2026, 10, 20, 12)): ManualClock {
  const began = now
  let elapsed = 0
  const timers = new Set<{ at: number; callback: () => void }>()
  const after = (milliseconds: number, callback: () => void) => {
    const timer = { at: elapsed + milliseconds, callback }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  const earliest = () => [...timers].reduce((first, timer) => (timer.at < first.at ? timer : first), NEVER)
  return {
    now: () => began + elapsed,
    elapsed: () => elapsed,
    after,
    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        const done = () => {
          cancel()
          signal.removeEventListener('abort', done)
          resolve()
        }
        const cancel = after(milliseconds, done)
        if (signal.aborted) done()
        else signal.addEventListener('abort', done)
      }),
    advance(milliseconds) {
      const until = elapsed + milliseconds
      for (let timer = earliest(); timer.at <= until; timer = earliest()) {
        timers.delete(timer)
        elapsed = Math.max(elapsed, timer.at)
        timer.callback()
      }
      elapsed = until
    },
  }
}

const NEVER = { at: Number.POSITIVE_INFINITY, callback: () => {} }
