type DrawPaceParts = Readonly<{
  /** Unix milliseconds. */
  clock: () => number
  after: (ms: number, act: () => void) => void
  /** Calls back when the page is about to draw; later while it is hidden. */
  nextFrame: (act: () => void) => void
  isHidden: () => boolean
}>

/** Result of {@link createDrawPace}. */
export type DrawPace = ReturnType<typeof createDrawPace>

/**
 * Draws updates, and paces a page that draws slowly: the user gets most of its time.
 *
 *     quick --a draw took more than 40 ms--> slow --its rows took less than 20 ms--> quick
 *
 * A quick page draws everything in one frame. A slow one draws the rows every time, and the rest above them every
 * second time, a frame later, so that neither is a long task.
 */
export function createDrawPace({ clock, after, nextFrame, isHidden }: DrawPaceParts) {
  /** Milliseconds from the beginning of a draw until everything is painted. */
  let drawMs = 0
  let isSlow = false
  let draws = 0
  /** Whether the last draw omitted the rest. */
  let areOthersDue = false
  const painted = (act: () => void) => nextFrame(() => after(0, act))

  return {
    /** Calls `rows` now and `others` when due; if they are urgent, in this draw. */
    draw(rows: () => void, others: () => void, isUrgent: boolean): void {
      const begun = clock()
      const draw = ++draws
      const isApart = isSlow && !isHidden()
      const isLeftOut = isApart && !isUrgent && !areOthersDue
      const ended = () => {
        drawMs = Math.min((drawMs + clock() - begun) / 2, MOST_PERIOD_MS / PART)
      }
      areOthersDue = isLeftOut
      rows()
      if (!isApart) others()
      painted(() => {
        isSlow = clock() - begun > (isSlow ? QUICK_MS : SLOW_MS)
        if (!isApart || isLeftOut) return ended()
        // Never after those of a newer draw.
        if (draw === draws) others()
        painted(ended)
      })
    },
    /** Minimum milliseconds from one draw to the next. */
    periodMs: (): number => drawMs * PART,
  }
}

/** Divisor of a slow page's time for drawing. */
const PART = 7
/** Milliseconds to the paint, including the wait for a frame, above which a page becomes slow, or stays slow. */
const SLOW_MS = 40
const QUICK_MS = 20
/** Milliseconds between two draws, however slow the page is. */
const MOST_PERIOD_MS = 1_000
