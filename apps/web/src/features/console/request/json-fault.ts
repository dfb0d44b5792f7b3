import { type JsonToken, tokenizeJson } from '../rows/tokenize-json.ts'

/** The first position of invalid JSON. Lines and columns count from 1, columns in UTF-16 units. */
type JsonFault = Readonly<{
  line: number
  column: number
  /** What was expected: `a comma`, `a value`, … */
  expected: string
}>

/**
 * Finds where `JSON.parse` would fail, and why.
 *
 * @returns `undefined` for valid JSON.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: ('{' | '[')[] = []
  let want: Want = 'value'
  let offset = 0

  for (const token of tokenizeJson(text)) {
    if (token.kind !== 'space') {
      const next = step(want, token, open)
      if (!next) return faultAt(text, offset, want === 'more' ? 'a comma' : expectation(want, open))
      want = next
    }
    offset += token.text.length
  }
  return want === 'end' ? undefined : faultAt(text, offset, expectation(want, open))
}

/** Whether `text` has over a hundred levels, where a request has under ten: its indentation could fill the memory. */
export function isDeep(text: string): boolean {
  let depth = 0
  return tokenizeJson(text).some(({ text: piece }) => {
    if (piece === '{' || piece === '[') depth++
    if (piece === '}' || piece === ']') depth--
    return depth > 100
  })
}

/** What may come next. `first…` also allows the end of an empty object or list; `more` is a comma or an end. */
type Want = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'more' | 'end'

/** @returns what may follow `token`, or `undefined` if it is not allowed. Keeps `open` up to date. */
function step(want: Want, token: JsonToken, open: ('{' | '[')[]): Want | undefined {
  const { kind, text } = token
  switch (want) {
    case 'firstKey':
    case 'key':
      if (want === 'firstKey' && text === '}') return shut(open)
      return kind === 'key' || kind === 'string' ? 'colon' : undefined
    case 'colon':
      return text === ':' ? 'value' : undefined
    case 'more': {
      const inObject = open.at(-1) === '{'
      if (text === ',') return inObject ? 'key' : 'value'
      return text === (inObject ? '}' : ']') ? shut(open) : undefined
    }
    case 'end':
      return undefined
    case 'firstValue':
    case 'value':
      return want === 'firstValue' && text === ']' ? shut(open) : value(token, open)
  }
}

function value({ kind, text }: JsonToken, open: ('{' | '[')[]): Want | undefined {
  if (text === '{' || text === '[') {
    open.push(text)
    return text === '{' ? 'firstKey' : 'firstValue'
  }
  const isScalar = kind === 'string' || kind === 'key' || kind === 'number' || kind === 'word'
  return isScalar ? after(open) : undefined
}

function shut(open: ('{' | '[')[]): Want {
  open.pop()
  return after(open)
}

function after(open: readonly string[]): Want {
  return open.length === 0 ? 'end' : 'more'
}

function expectation(want: Want, open: readonly string[]): string {
  return want === 'more' ? `a closing ${open.at(-1) === '{' ? 'brace' : 'bracket'}` : EXPECTED[want]
}

const EXPECTED: Readonly<Record<Exclude<Want, 'more'>, string>> = {
  firstKey: 'a property name in double quotes or a closing brace',
  key: 'a property name in double quotes',
  colon: 'a colon',
  end: 'nothing more',
  firstValue: 'a value or a closing bracket',
  value: 'a value',
}

function faultAt(text: string, offset: number, expected: string): JsonFault {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n'), expected }
}
