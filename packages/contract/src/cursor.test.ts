import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CursorParts, cursorBehind, formatCursor, LAST_PLACE, parseCursor } from './cursor.ts'

const parts: fc.Arbitrary<CursorParts> = fc.record({
  run: fc.nat(999_999_999),
  slot: fc.nat({ max: 2 ** 31 - 1 }),
  transactionIndex: fc.nat(999_999),
  eventIndex: fc.nat(9_999),
})

describe('cursor', () => {
  it('parses into the parts that it was made of', () => {
    fc.assert(
      fc.property(parts, (value) => {
        expect(parseCursor(formatCursor(value))).toEqual(value)
      }),
    )
  })

  // Replay searches by comparing texts: another order would repeat or lose events at the boundary.
  it('orders as text exactly as its parts order as numbers', () => {
    const asList = ({ run, slot, transactionIndex, eventIndex }: CursorParts) => [
      run,
      slot,
      transactionIndex,
      eventIndex,
    ]
    const compare = (a: number[], b: number[]): number => {
      const at = a.findIndex((value, index) => value !== b[index])
      return at < 0 ? 0 : Math.sign(a[at]! - b[at]!)
    }

    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const [left, right] = [formatCursor(a), formatCursor(b)]
        expect(left < right ? -1 : left > right ? 1 : 0).toBe(compare(asList(a), asList(b)))
      }),
    )
  })

  it('has room after a block, and before everything in the next one', () => {
    const block = formatCursor({ run: 0, slot: 7, ...LAST_PLACE })
    const next = formatCursor({ run: 0, slot: 8, transactionIndex: 0, eventIndex: 0 })

    const [first, second] = [cursorBehind(block), cursorBehind(cursorBehind(block))]

    expect([block, first, second, next].sort()).toEqual([block, first, second, next])
    expect(new Set([block, first, second, next]).size).toBe(4)
  })

  it('accepts no other text as a cursor', () => {
    for (const text of [
      '',
      '1-2-3-4',
      'x',
      `${formatCursor({ run: 1, slot: 1, transactionIndex: 1, eventIndex: 1 })}0`,
    ]) {
      expect(parseCursor(text)).toBeUndefined()
    }
  })
})
