/** What an intake works with. */
type IntakeParts = Readonly<{
  /** Milliseconds, any origin. */
  clock: () => number
  /** Takes one frame; with `countOnly` no row is to be made of it. */
  take: (text: string, countOnly: boolean) => void
}>

/** What {@link createIntake} makes. */
export type Intake = ReturnType<typeof createIntake>

/**
 * Takes frames in between the socket and the recorder, so that a burst cannot keep the worker from answering the
 * page: frames wait in a queue that is worked off in short slices.
 */
export function createIntake({ clock, take }: IntakeParts) {
  let texts: string[] = []
  let times: number[] = []
  let next = 0
  let isSampling = false

  return {
    /** Queues one frame. */
    push(text: string): void {
      texts.push(text)
      times.push(clock())
    },
    /** Works frames off for one slice. @returns whether some are left. */
    drain(): boolean {
      const until = clock() + SLICE_MS
      for (let done = 0; next < texts.length; done++) {
        if (done % CHECK_EVERY === CHECK_EVERY - 1 && clock() >= until) return true
        takeNext()
      }
      forget()
      return false
    },
    /** Works off all that is left, at once. */
    flush(): void {
      while (next < texts.length) takeNext()
      forget()
    },
    /** Whether frames are only counted at present, since too many or too old ones wait. */
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

  function forget() {
    texts = []
    times = []
    next = 0
  }
}

/** Milliseconds of work before the worker looks at its other messages. */
const SLICE_MS = 8
/** Frames between two looks at the clock. */
const CHECK_EVERY = 32
/** Frames that may wait before rows are skipped. */
const QUEUE_LIMIT = 5_000
/** Milliseconds that a frame may wait before rows are skipped. */
const AGE_LIMIT_MS = 500
