import { describe, expect, it } from 'vitest'
import { readNotice } from './system-status.ts'

describe('the status notice', () => {
  it('is the first item’s Details', () => {
    expect(readNotice([{ Details: 'Delayed.', Level: 2 }, { Details: 'Older.' }])).toBe('Delayed.')
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
  ])('is absent for %j', (answer) => {
    expect(readNotice(answer)).toBeUndefined()
  })
})
