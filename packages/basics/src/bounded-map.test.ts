import { describe, expect, it } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

describe('bounded map', () => {
  it('drops the oldest entry beyond its bound, and counts an entry that is set again as new', () => {
    const map = new BoundedMap<string, number>(2)

    map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)

    expect([...map]).toEqual([
      ['a', 3],
      ['c', 4],
    ])
  })

  it('does not count reading as use', () => {
    const map = new BoundedMap<string, number>(2)

    map.set('a', 1).set('b', 2)
    map.get('a')
    map.set('c', 3)

    expect([...map.keys()]).toEqual(['b', 'c'])
  })
})
