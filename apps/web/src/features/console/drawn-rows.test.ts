import { describe, expect, it } from 'vitest'
import { nextDrawnRows, SHARES } from './drawn-rows.ts'
import type { Row } from './row.ts'

const rows = (first: number) =>
  Array.from(
    { length: 100 },
    (_, place): Row => ({
      id: first - place,
      at: 0,
      text: '',
      symbol: '',
      reading: { kind: 'message', tone: 'notice', words: '', detail: '' },
    }),
  )

describe('drawn rows', () => {
  it('always show the newest where they can be seen', () => {
    const newest = rows(900)

    expect(nextDrawnRows(rows(500), newest, 18, 3).slice(0, 18)).toEqual(newest.slice(0, 18))
  })

  it('leave most of the others as they are', () => {
    const before = rows(500)

    const kept = nextDrawnRows(before, rows(900), 18, 3).filter((row, place) => row === before[place])

    expect(kept.length).toBeGreaterThan(70)
  })

  it('draw every place within one round', () => {
    const newest = rows(900)
    let drawn: readonly Row[] = rows(500)
    for (let turn = 0; turn < SHARES; turn++) drawn = nextDrawnRows(drawn, newest, 18, turn)

    expect(drawn).toEqual(newest)
  })

  it('are all of them while the list grows', () => {
    const newest = rows(900)

    expect(nextDrawnRows([], newest, 0, 0)).toBe(newest)
  })
})
