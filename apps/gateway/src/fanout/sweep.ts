import type { Clock } from '@pairwire/basics'

/** Steps of a sweep: with a thousand connections, a step examines fifty, in less than half a millisecond. */
const STEPS = 20

/**
 * Examines every item of a set once a sweep, a share of them in each step, since all at once would block the event
 * loop. It sleeps while the set is empty.
 */
export function createSweep<Item>({
  items,
  begin,
  look,
  clock,
  everyMs,
}: {
  /** Items that join during a sweep are examined in it. */
  items: ReadonlySet<Item>
  /** Called at the beginning of a sweep. */
  begin(): void
  look(item: Item): void
  clock: Clock
  /** Milliseconds of a sweep. */
  everyMs: number
}) {
  const stepMs = everyMs / STEPS
  let cancel: (() => void) | undefined

  const wait = (ms: number, next: () => void) => {
    cancel = clock.after(ms, next)
  }

  const sweep = () => {
    if (items.size === 0) {
      cancel = undefined
      return
    }
    begin()
    step(items.values(), Math.ceil(items.size / STEPS), STEPS)
  }

  const step = (left: Iterator<Item>, share: number, steps: number) => {
    for (let looked = 0; looked < share; looked++) {
      const { done, value } = left.next()
      if (done) {
        // If more joined than a step examines, the sweep took longer than planned.
        wait(Math.max(0, steps) * stepMs, sweep)
        return
      }
      look(value)
    }
    wait(stepMs, () => step(left, share, steps - 1))
  }

  return {
    /** The set has an item: sweeps repeat until it is empty. */
    wake() {
      if (!cancel) wait(everyMs, sweep)
    },
    close: () => cancel?.(),
  }
}
