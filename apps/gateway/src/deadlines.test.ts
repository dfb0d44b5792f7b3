import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDeadlines } from './deadlines.ts'

describe('deadlines', () => {
  it('give what is due, the earliest first, whatever was set, moved and deleted before', () => {
    const step = fc.oneof(
      fc.record({ item: fc.nat(20), at: fc.nat(1_000) }),
      fc.record({ item: fc.nat(20), at: fc.constant(undefined) }),
      fc.record({ item: fc.constant(undefined), at: fc.nat(1_000) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const deadlines = createDeadlines<number>()
        const plain = new Map<number, number>()

        for (const { item, at } of steps) {
          if (item === undefined) {
            const due = [...plain].filter(([, moment]) => moment <= at)
            for (const [gone] of due) plain.delete(gone)
            const taken = deadlines.takeDue(at)
            const moments = new Map(due)
            expect(new Set(taken)).toEqual(new Set(moments.keys()))
            expect(taken.map((each) => moments.get(each))).toEqual(
              [...moments.values()].sort((first, second) => first - second),
            )
          } else if (at === undefined) {
            deadlines.delete(item)
            plain.delete(item)
          } else {
            deadlines.set(item, at)
            plain.set(item, at)
          }
          expect(deadlines.next()).toBe(Math.min(...plain.values()))
        }
      }),
    )
  })
})
