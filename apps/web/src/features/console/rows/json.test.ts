import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJsonFault } from '../request/json-fault.ts'
import { prettyJson } from './pretty-json.ts'
import { tokenizeJson } from './tokenize-json.ts'

/** Texts close to JSON: valid ones, with one character removed, inserted or doubled. */
const almostJson = fc
  .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '{', ':', '0', '-', '\\', '\n', 'x'))
  .map(([json, at, put]) => {
    const place = at % (json.length + 1)
    return json.slice(0, place) + put + json.slice(put === '' ? place + 1 : place)
  })
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), almostJson)

describe('JSON pieces', () => {
  it('joined are the text itself, whatever it is', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const joined = tokenizeJson(text).map((token) => token.text)

        expect(joined.join('')).toBe(text)
      }),
    )
  })

  it('distinguish names from strings, and numbers from words', () => {
    const kinds = tokenizeJson('{"a": "b", "c" : -1.5e3, "d": [true, "e"]}')
      .filter((token) => token.kind !== 'space' && token.kind !== 'punctuation')
      .map((token) => token.kind)

    expect(kinds).toEqual(['key', 'string', 'key', 'number', 'key', 'word', 'string'])
  })

  it('treat an unclosed string as ending with its line', () => {
    expect(tokenizeJson('{"a\n}').map((token) => token.text)).toEqual(['{', '"a', '\n', '}'])
  })
})

describe('the fault finder', () => {
  it('agrees with JSON.parse on every text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(findJsonFault(text) === undefined).toBe(parses(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it('names line, column and what was expected', () => {
    expect(findJsonFault('{\n  "id": 1\n  "method": 2\n}')).toEqual({
      line: 3,
      column: 3,
      expected: 'a comma',
    })
    expect(findJsonFault('{"a" 1}')).toEqual({ line: 1, column: 6, expected: 'a colon' })
    expect(findJsonFault('{"a":}')).toMatchObject({ column: 6, expected: 'a value' })
    expect(findJsonFault('[1,]')).toMatchObject({ column: 4, expected: 'a value' })
    expect(findJsonFault('{} x')).toMatchObject({ column: 4, expected: 'nothing more' })
    expect(findJsonFault('{"a":1')).toMatchObject({ column: 7, expected: 'a closing brace' })
    expect(findJsonFault("{'a':1}")).toMatchObject({ column: 2 })
  })

  it('handles nesting of any depth', () => {
    expect(findJsonFault('['.repeat(100_000))).toMatchObject({ column: 100_001 })
  })
})

describe('pretty JSON', () => {
  it('changes no number and no string', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const pieces = prettyJson(text)
          .flatMap((line) => line.pieces)
          .filter((token) => token.kind !== 'space')
        const received = tokenizeJson(text).filter((token) => token.kind !== 'space')

        expect(pieces).toEqual(received)
      }),
    )
  })

  it('keeps a number of twenty digits', () => {
    expect(written('{"n":12345678901234567890,"x":1.10}')).toBe(
      '{\n  "n": 12345678901234567890,\n  "x": 1.10\n}',
    )
  })

  it('formats like JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(written(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
      }),
    )
  })

  it('knows the path of each line', () => {
    const lines = prettyJson('{"params":{"swap":{"usdValue":1},"list":[{"a b":2},3]}}')

    expect(lines.map((line) => line.path)).toEqual([
      '',
      'params',
      'params.swap',
      'params.swap.usdValue',
      'params.swap',
      'params.list',
      'params.list[0]',
      'params.list[0]["a b"]',
      'params.list[0]',
      'params.list[1]',
      'params.list',
      'params',
      '',
    ])
  })
})

function written(text: string): string {
  return prettyJson(text)
    .map((line) => '  '.repeat(line.depth) + line.pieces.map((piece) => piece.text).join(''))
    .join('\n')
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
