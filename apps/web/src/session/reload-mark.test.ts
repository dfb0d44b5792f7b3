import { describe, expect, it } from 'vitest'
import { isReloaded, markReloaded } from './reload-mark.ts'

describe('the mark of a reload', () => {
  it('is set once and keeps what the entry holds', () => {
    const marked = markReloaded({ key: 'a', idx: 2, usr: { sessionEnded: true } })

    expect(marked).toEqual({ key: 'a', idx: 2, usr: { sessionEnded: true, reloaded: true } })
    expect(isReloaded(marked?.usr)).toBe(true)
    expect(markReloaded(marked)).toBeUndefined()
  })

  it.each([null, undefined, 'text', 4])('is set on an entry that holds %j', (entry) => {
    expect(markReloaded(entry)).toEqual({ usr: { reloaded: true } })
    expect(isReloaded(entry)).toBe(false)
  })
})
