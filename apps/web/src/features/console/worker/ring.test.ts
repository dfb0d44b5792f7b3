import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRing } from './ring.ts'

it('a ring keeps the latest entries, newest first, and returns the dropped one', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 10 }), (entries, capacity) => {
      const ring = createRing<number>(capacity)

      const leaving = entries.map((entry) => ring.push(entry))

      expect(ring.takeWhile(() => true)).toEqual(entries.slice(-capacity).reverse())
      expect(leaving.filter((entry) => entry !== undefined)).toEqual(entries.slice(0, -capacity))
    }),
  )
})

it('a ring reads no further than requested', () => {
  const ring = createRing<number>(5)
  for (const entry of [1, 2, 3, 4, 5, 6]) ring.push(entry)

  expect(ring.takeWhile((entry) => entry > 4)).toEqual([6, 5])
})
