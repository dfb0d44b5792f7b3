import { describe, expect, it } from 'vitest'
import { readNotices } from './system-status.ts'

describe('the status notices', () => {
  it('are the Details of all items, in their order', () => {
    const texts = readNotices([{ Details: 'Delayed.', Level: 2 }, { Details: 'Older.' }])
    expect(texts).toEqual(['Delayed.', 'Older.'])
  })

  it.each([
    [[]],
    [null],
    [undefined],
    [{}],
    ['x'],
    [[null]],
    [[{}]],
    [[{ Details: '' }]],
    [[{ Details: 4 }]],
  ])('are none for %j', (answer) => {
    expect(readNotices(answer)).toEqual([])
  })
})
