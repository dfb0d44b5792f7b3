type DrawPaceParts = Readonly<{
  /** Unix milliseconds. */
  clock: () => number
  after: (ms: number, act: () => void) => void
  /** Calls back when the page is about to draw; later while it is hidden. */
  nextFrame: (act: () => void) => void
  isHidden: () => boolean
}>

/** What {@link createDrawPace} makes. */
export type DrawPace = ReturnType<typeof createDrawPace>

/**
 * Draws what has come, and says how long a page that draws slowly rests between: its person is to have most of its time.
 *
 *     quick --a draw took more than 40 ms--> slow --its rows took less than 20 ms--> quick
 *
 * A quick page draws all in one frame. A slow one draws the rows every time, and what stands over them every second
 * time, a frame later: neither is a long task then.
 */
export function createDrawPace({ clock, after, nextFrame, isHidden }: DrawPaceParts) {
  /** Milliseconds from the beginning of a draw until all of it is painted. */
  let drawMs = 0
  let isSlow = false
  let draws = 0
  /** Whether the last draw left the others out. */
  let areOthersDue = false
  const painted = (act: () => void) => nextFrame(() => after(0, act))

  return {
    /** Calls `rows` now and `others` when they are due; where they are urgent, in this draw. */
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
    /** Milliseconds from one draw to the next, at least. */
    periodMs: (): number => drawMs * PART,
  }
}

/** One part in so many of a slow page's time is for drawing. */
const PART = 7
/** Milliseconds to the paint, with the wait for a frame, over which a page becomes slow, and for its rows stays slow. */
const SLOW_MS = 40
const QUICK_MS = 20
/** Milliseconds between two draws, however slow the page is. */
const MOST_PERIOD_MS = 1_000
