import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPlaceIndex } from './place-index.ts'

const place = fc.integer({ min: 1, max: 2 ** 32 - 1 })

describe('createPlaceIndex', () => {
  it('behaves like a map, in any order of setting and removing, even when nearly full', () => {
    const account = fc.integer({ min: 0, max: 40 }).map((number) => `account ${number}`)
    const step = fc.record({ kind: fc.constantFrom('set', 'set', 'remove'), account, place })

    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const index = createPlaceIndex(41)
        const model = new Map<string, number>()
        for (const { kind, account, place } of steps) {
          const before = model.get(account) ?? 0
          if (kind === 'set') {
            expect(index.set(account, place)).toBe(before)
            model.set(account, place)
          } else {
            expect(index.remove(account, before)).toBe(model.delete(account))
          }
        }
        for (let number = 0; number <= 40; number++) {
          expect(index.get(`account ${number}`)).toBe(model.get(`account ${number}`) ?? 0)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('keeps the place of an account that changed since the one to be removed', () => {
    const index = createPlaceIndex(8)
    index.set('moved', 1)
    index.set('moved', 2)

    expect(index.remove('moved', 1)).toBe(false)
    expect(index.get('moved')).toBe(2)
  })

  it('distinguishes a hundred thousand accounts, and half of them once the others are removed', () => {
    const index = createPlaceIndex(100_000)
    for (let at = 1; at <= 100_000; at++) index.set(`Mint${at}pump`, at)
    for (let at = 1; at <= 100_000; at += 2) index.remove(`Mint${at}pump`, at)

    const wrong: number[] = []
    for (let at = 1; at <= 100_000; at++) {
      if (index.get(`Mint${at}pump`) !== (at % 2 === 1 ? 0 : at)) wrong.push(at)
    }
    expect(wrong).toEqual([])
  })

  it('is empty once cleared', () => {
    const index = createPlaceIndex(8)
    index.set('gone', 7)

    index.clear()

    expect(index.get('gone')).toBe(0)
  })
})
