import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placeOf, readJsonSource } from './json-source.ts'

describe('json source', () => {
  it('finds a fault exactly where JSON.parse fails, in any damaged text', () => {
    const damaged = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '"', '\\', '{', '}', ']', ':', '0', 'x', '\n', '-', '.', 'e'),
      )
      .map(([text, place, piece]) => {
        const at = place % (text.length + 1)
        return text.slice(0, at) + piece + text.slice(at + (piece === '' ? 1 : 0))
      })

    fc.assert(
      fc.property(damaged, (text) => {
        expect(readJsonSource(text, 'id').fault === undefined).toBe(isJson(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['{"id":1,}', 1, 9],
    ['{"id":1\n "method":2}', 2, 2],
    ['{"method":"ping"', 1, 17],
    ['', 1, 1],
    ['nul', 1, 1],
    ['{"a":"x\ny"}', 1, 8],
    ['{"a":"\\q"}', 1, 8],
    ['[1,2] x', 1, 7],
    ["{'a':1}", 1, 2],
    ['{"a":01}', 1, 7],
    ['[1.]', 1, 3],
    ['{"a":"\\u00g0"}', 1, 11],
    ['{"a":"\\u0', 1, 10],
  ])('names line and column of the fault in %j', (text, line, column) => {
    expect(placeOf(text, faultOf(text))).toEqual({ line, column })
  })

  it('returns the source of a member unchanged, whatever its value', () => {
    const whitespace = fc.constantFrom('', ' ', '\n', '\t ')

    fc.assert(
      fc.property(fc.json(), whitespace, fc.jsonValue(), (source, space, other) => {
        const text = `{${space}"other":${JSON.stringify(other)},"id"${space}:${space}${source}${space},"z":{"id":3}}`

        expect(memberOf(text, 'id')).toBe(source.trim())
      }),
    )
  })

  it('keeps a whole number beyond 2^53 digit by digit', () => {
    expect(memberOf('{"id":123456789012345678901234567890}', 'id')).toBe('123456789012345678901234567890')
  })

  it('takes the last of two members with one name, and decodes escaped names', () => {
    expect(memberOf('{"id":1,"\\u0069d":2}', 'id')).toBe('2')
    expect(memberOf('{"\\u0069\\u0064":3}', 'id')).toBe('3')
  })

  it('counts members, lists, objects and values like a walk through the parsed value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(readJsonSource(JSON.stringify(value), 'id')).toMatchObject(extentOf(value))
      }),
    )
  })

  it('finds no member that is missing, or only nested', () => {
    expect(memberOf('{"params":{"id":1}}', 'id')).toBeUndefined()
    expect(memberOf('[{"id":1}]', 'id')).toBeUndefined()
    expect(memberOf('{"idd":1,"i":2,"\\n0069d":3,"\\u0069\\u0064\\u0064":4}', 'id')).toBeUndefined()
  })

  it('reads a hundred thousand nested lists without overflowing the stack', () => {
    const text = `{"id":${'['.repeat(100_000)}${']'.repeat(100_000)}}`

    expect(memberOf(text, 'id')).toHaveLength(200_000)
    expect(placeOf(text, faultOf(text.slice(0, -1)))).toEqual({ line: 1, column: text.length })
  })
})

/** Returns the source of the member `name` of the outermost object. */
function memberOf(text: string, name: string): string | undefined {
  return readJsonSource(text, name).member
}

function faultOf(text: string): number {
  return readJsonSource(text, 'id').fault ?? Number.NaN
}

/** Counts the members, lists and objects of a parsed value at any depth, and its values. */
function extentOf(value: unknown): { members: number; values: number } {
  if (typeof value !== 'object' || value === null) return { members: 0, values: 1 }
  const inner = Object.values(value).map(extentOf)
  const names = Array.isArray(value) ? 0 : inner.length
  return {
    members: inner.reduce((sum, { members }) => sum + members, 1 + names),
    values: inner.reduce((sum, { values }) => sum + values, 1),
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
