import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { locateJsonFault, readMemberSource } from './json-source.ts'

describe('json source', () => {
  it('finds a fault exactly where JSON.parse refuses, in any damaged text', () => {
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
        expect(locateJsonFault(text) === undefined).toBe(isJson(text))
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
  ])('names line and column of the fault in %j', (text, line, column) => {
    expect(locateJsonFault(text)).toEqual({ line, column })
  })

  it('gives the source of a member as it came, whatever its value', () => {
    const whitespace = fc.constantFrom('', ' ', '\n', '\t ')

    fc.assert(
      fc.property(fc.json(), whitespace, fc.jsonValue(), (source, space, other) => {
        const text = `{${space}"other":${JSON.stringify(other)},"id"${space}:${space}${source}${space},"z":{"id":3}}`

        expect(readMemberSource(text, 'id')).toBe(source.trim())
      }),
    )
  })

  it('keeps a whole number beyond 2^53 digit by digit', () => {
    expect(readMemberSource('{"id":123456789012345678901234567890}', 'id')).toBe(
      '123456789012345678901234567890',
    )
  })

  it('takes the last of two members of one name, and an escaped name for what it says', () => {
    expect(readMemberSource('{"id":1,"\\u0069d":2}', 'id')).toBe('2')
  })

  it('finds no member that is not there, or only deeper', () => {
    expect(readMemberSource('{"params":{"id":1}}', 'id')).toBeUndefined()
    expect(readMemberSource('[{"id":1}]', 'id')).toBeUndefined()
  })

  it('reads a hundred thousand nested lists without using up the stack', () => {
    const text = `{"id":${'['.repeat(100_000)}${']'.repeat(100_000)}}`

    expect(readMemberSource(text, 'id')).toHaveLength(200_000)
    expect(locateJsonFault(text.slice(0, -1))).toEqual({ line: 1, column: text.length })
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
