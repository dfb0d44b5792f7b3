import type { Clock } from '@pairwire/basics'

/** Steps of a sweep: of a thousand connections fifty are looked at in one, which takes less than half a millisecond. */
const STEPS = 20

/**
 * Looks at every item of a set once a sweep, a share of them in each of its steps: all of them at once would hold up
 * the event loop. It sleeps while the set is empty.
 */
export function createSweep<Item>({
  items,
  begin,
  look,
  clock,
  everyMs,
}: {
  /** What joins during a sweep is looked at in it. */
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
        // Where more came than a step looks at, the sweep took longer than its time.
        wait(Math.max(0, steps) * stepMs, sweep)
        return
      }
      look(value)
    }
    wait(stepMs, () => step(left, share, steps - 1))
  }

  return {
    /** The set has an item: sweeps follow each other until it has none. */
    wake() {
      if (!cancel) wait(everyMs, sweep)
    },
    close: () => cancel?.(),
  }
}
