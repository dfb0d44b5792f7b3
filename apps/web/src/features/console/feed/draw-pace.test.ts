import { describe, expect, it } from 'vitest'
import { createDrawPace } from './draw-pace.ts'

/** A pace on a page whose frames take as long as the test says; `drawn` lists what was drawn in each. */
function aPage() {
  let now = 0
  let isHidden = false
  let frames: (() => void)[] = []
  let turns: (() => void)[] = []
  const drawn: string[] = []
  const pace = createDrawPace({
    clock: () => now,
    after: (_, act) => turns.push(act),
    nextFrame: (act) => frames.push(act),
    isHidden: () => isHidden,
  })
  return {
    pace,
    drawn,
    hide: () => {
      isHidden = true
    },
    draw(name: string, isUrgent = false) {
      pace.draw(
        () => drawn.push(`${name} rows`),
        () => drawn.push(`${name} others`),
        isUrgent,
      )
    },
    /** Draws one frame that takes `ms`. */
    frame(ms: number) {
      const due = frames
      frames = []
      for (const act of due) act()
      now += ms
      drawn.push('|')
      const next = turns
      turns = []
      for (const act of next) act()
    },
  }
}

/** A page whose first draw took long. */
function aSlowPage() {
  const page = aPage()
  page.draw('first')
  page.frame(60)
  page.drawn.length = 0
  return page
}

describe('draw pace', () => {
  it('draws everything in one frame while that is quick', () => {
    const { draw, frame, drawn } = aPage()

    for (const name of ['one', 'two']) {
      draw(name)
      frame(12)
    }

    expect(drawn.join(' ')).toBe('one rows one others | two rows two others |')
  })

  it('on a slow page draws the rows every time, and the rest every second time in a separate frame', () => {
    const { draw, frame, drawn } = aSlowPage()

    for (const name of ['one', 'two', 'three', 'four']) {
      draw(name)
      frame(30)
      frame(15)
    }

    expect(drawn.join(' ')).toBe(
      'one rows | | two rows | two others | three rows | | four rows | four others |',
    )
  })

  it('omits nothing urgent, and defers nothing on a hidden page', () => {
    const { draw, frame, hide, drawn } = aSlowPage()

    draw('urgent', true)
    frame(30)
    frame(15)
    hide()
    draw('hidden')

    expect(drawn.join(' ')).toBe('urgent rows | urgent others | hidden rows hidden others')
  })

  it('never draws the rest of an older draw after that of a newer one', () => {
    const { draw, frame, drawn } = aSlowPage()

    draw('old', true)
    draw('new', true)
    frame(30)

    expect(drawn.join(' ')).toBe('old rows new rows | new others')
  })

  it('draws everything in one frame again once the rows are quick', () => {
    const { draw, frame, drawn } = aSlowPage()

    draw('one', true)
    frame(10)
    frame(5)
    draw('two')

    expect(drawn.join(' ')).toBe('one rows | one others | two rows two others')
  })

  it('leaves a slow page six sevenths of its time, and pauses at most a second', () => {
    const { pace, draw, frame } = aPage()
    for (let index = 0; index < 12; index++) {
      draw('rows', true)
      frame(41)
      frame(19)
    }
    const slow = pace.periodMs()
    draw('rows')
    frame(10_000)
    frame(0)

    expect(slow).toBeGreaterThan(7 * 59)
    expect(slow).toBeLessThanOrEqual(7 * 60)
    expect(pace.periodMs()).toBeLessThanOrEqual(1_000)
  })
})
