/** What an intake needs. */
type IntakeParts = Readonly<{
  /** Milliseconds, any origin. */
  clock: () => number
  /** Takes one frame; with `countOnly` without making a row of it. */
  take: (text: string, countOnly: boolean) => void
}>

/** Result of {@link createIntake}. */
export type Intake = ReturnType<typeof createIntake>

/**
 * Queues frames between the socket and the recorder and processes them in short slices, so that a burst does not keep
 * the worker from answering the page.
 */
export function createIntake({ clock, take }: IntakeParts) {
  const texts: string[] = []
  const times: number[] = []
  let next = 0
  let isSampling = false

  return {
    /** Queues one frame. */
    push(text: string): void {
      texts.push(text)
      times.push(clock())
    },
    /** Processes frames for one slice. @returns whether some are left. */
    drain(): boolean {
      const until = clock() + SLICE_MS
      for (let done = 0; next < texts.length; done++) {
        if (done % CHECK_EVERY === CHECK_EVERY - 1 && clock() >= until) break
        takeNext()
      }
      forget()
      return texts.length > 0
    },
    /** Processes all remaining frames at once. */
    flush(): void {
      while (next < texts.length) takeNext()
      forget()
    },
    /** Whether frames are currently only counted, since too many or too old ones wait. */
    get isSampling() {
      return isSampling
    },
  }

  function takeNext() {
    const waiting = texts.length - next
    const age = clock() - times[next]!
    if (waiting > QUEUE_LIMIT || age > AGE_LIMIT_MS) isSampling = true
    else if (waiting < QUEUE_LIMIT / 10 && age < AGE_LIMIT_MS / 5) isSampling = false
    take(texts[next]!, isSampling)
    next++
  }

  /** Those taken; a stream may never leave it empty. */
  function forget() {
    texts.splice(0, next)
    times.splice(0, next)
    next = 0
  }
}

/** Milliseconds of work before the worker checks its other messages. */
const SLICE_MS = 8
/** Frames between two checks of the clock. */
const CHECK_EVERY = 32
/** Frames that may wait before rows are skipped. */
const QUEUE_LIMIT = 5_000
/** Milliseconds that a frame may wait before rows are skipped. */
const AGE_LIMIT_MS = 500
