/// <reference types="node" />
import { execFileSync, spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteForGo, quoteForJavaScript, quoteForPython, quoteForRust, quoteForShell } from './quote-text.ts'

const AWKWARD = [
  '',
  "it's",
  `'''`,
  '"""#"##',
  '\\',
  '\\n',
  `\`$\{process.exit()}\``,
  '$(id) `id` $PAIRWIRE_KEY !! !id',
  'a\nb\r\nc\td',
  '\u001b[2J\u0007\u0003',
  '\u202eevil\u2066',
  '\u2028\u2029\ufeff',
  '😀 汉字',
  '\ud800 alone',
  '%s %d \\0 {x} {{y}}',
]
const letters = fc.oneof(
  fc.constantFrom(...'\'"`$\\!#{}%\n\r\t\u0001\u001b\u202e\u2028'),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const texts = fc.array(letters, { maxLength: 12 }).map((parts) => parts.join('').replaceAll('\0', ''))
const asSent = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd')
/** Many at once, since a program is started once for all of them. */
const many = () => [...AWKWARD, ...fc.sample(texts, 300)]

describe('quoting a request', () => {
  it('passes the text to bash unchanged', () => {
    const wanted = many()

    const script = wanted.map((text) => `printf '%s\\0' ${quoteForShell(text)}`).join('\n')
    const printed = execFileSync('bash', { input: script, env: { LC_ALL: 'C.UTF-8' } }).toString()

    expect(printed.split('\0').slice(0, -1)).toEqual(wanted.map(asSent))
  })

  it('passes the text to JavaScript unchanged', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(new Function(`return ${quoteForJavaScript(text)}`)()).toBe(asSent(text))
      }),
    )
    for (const text of AWKWARD)
      expect(new Function(`return ${quoteForJavaScript(text)}`)()).toBe(asSent(text))
  })

  it.skipIf(spawnSync('python3', ['--version']).status !== 0)('passes the text to Python unchanged', () => {
    const wanted = many()

    const script = `import json\nprint(json.dumps([\n${wanted.map((text) => `${quoteForPython(text)},\n`).join('')}]))`
    const printed = execFileSync('python3', ['-'], { input: script }).toString()

    expect(JSON.parse(printed)).toEqual(wanted.map(asSent))
  })

  it('passes the text to Go unchanged', () => {
    for (const text of many()) expect(readGo(quoteForGo(text))).toBe(asSent(text))
  })

  it('passes the text to Rust unchanged', () => {
    for (const text of many()) expect(readRust(quoteForRust(text))).toBe(asSent(text))
  })

  it('shows a request as typed if the language allows', () => {
    const request = '{\n  "id": 1\n}'

    expect(quoteForShell(request)).toBe(`'${request}'`)
    expect(quoteForJavaScript(request)).toBe(`\`${request}\``)
    expect(quoteForPython(request)).toBe(`'''${request}'''`)
    expect(quoteForGo(request)).toBe(`\`${request}\``)
    expect(quoteForRust(request)).toBe(`r#"${request}"#`)
  })

  it('escapes everything that controls a terminal or the direction of text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const quote of [quoteForShell, quoteForJavaScript, quoteForPython, quoteForGo, quoteForRust])
          expect(quote(text)).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u)
      }),
    )
  })
})

/** Reads literals by the Go specification: a raw one contains its text, the other has JSON's escapes. */
function readGo(literal: string): unknown {
  if (!literal.startsWith('`')) return JSON.parse(literal)
  expect(literal.slice(1, -1)).not.toMatch(/[`\r\0]/)
  return literal.slice(1, -1)
}

/** Reads literals by the Rust reference: a raw one ends at the first quote with its number of hashes. */
function readRust(literal: string): string {
  const raw = /^r(#*)"([\s\S]*?)"\1(?!#)/.exec(literal)
  if (raw) {
    expect(raw[0]).toBe(literal)
    expect(raw[2]).not.toContain('\r')
    return raw[2]!
  }
  const escapes = /\\(?:u\{([0-9a-f]{1,6})\}|([nrt"'\\]))/g
  expect(literal.slice(1, -1).replace(escapes, '')).not.toMatch(/["\\]/)
  const plain: Record<string, string> = { n: '\n', r: '\r', t: '\t' }
  return literal
    .slice(1, -1)
    .replace(escapes, (_, code, letter) =>
      code ? String.fromCodePoint(Number.parseInt(code, 16)) : (plain[letter] ?? letter),
    )
}
