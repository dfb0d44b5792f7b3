import { describe, expect, it } from 'vitest'
import type { Row } from '../feed/row.ts'
import { drawRows } from './drawn-rows.ts'

const rows = (first: number, count = 100) =>
  Array.from(
    { length: count },
    (_, place): Row => ({
      id: first - place,
      at: 0,
      text: '',
      symbol: '',
      reading: { kind: 'message', tone: 'notice', words: '', detail: '' },
    }),
  )

describe('drawn rows', () => {
  it('show the newest where they are visible, and leave the others unchanged', () => {
    const [before, newest] = [rows(500), rows(900)]

    const drawn = drawRows({ rows: before, shown: 100 }, newest, 18)

    expect(drawn).toEqual({ rows: [...newest.slice(0, 18), ...before.slice(18)], shown: 18 })
  })

  it('are empty until they are seen, so that nothing is created out of sight', () => {
    const newest = rows(900)

    const drawn = drawRows({ rows: [], shown: 0 }, newest, 18)

    expect(drawn.rows).toEqual([...newest.slice(0, 18), ...Array.from({ length: 82 })])
  })

  it('are all of them once every position is shown', () => {
    const newest = rows(900)

    expect(drawRows({ rows: rows(500), shown: 18 }, newest, 120)).toEqual({ rows: newest, shown: 100 })
  })

  it('are never fewer or more than the rows', () => {
    expect(drawRows({ rows: rows(500, 3), shown: 3 }, rows(900, 40), 18).rows).toHaveLength(40)
    expect(drawRows({ rows: rows(500), shown: 100 }, [], 18).rows).toEqual([])
  })
})
