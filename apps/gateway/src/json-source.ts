/** What the text of a frame tells that its parsed value cannot: its extent, the source of one member, its fault. */
type JsonSource = Readonly<{
  /** Offset of the first character that cannot stand there; undefined when the text is JSON. */
  fault: number | undefined
  /** Source of the wanted member of the outermost object; the last one when it comes twice, as in `JSON.parse`. */
  member: string | undefined
  /** Members, lists and objects, at any depth. */
  members: number
  /** Values of any kind, at any depth. */
  values: number
}>

/**
 * Reads `text` once, by the grammar of JSON: a character costs a nanosecond or two whatever stands there, before
 * anything is built of it. Depth costs no stack.
 *
 * @param wanted name of the member whose source is kept, of letters
 */
export function readJsonSource(text: string, wanted: string): JsonSource {
  const { length } = text
  /** The closing character of each open container. */
  const open: number[] = []
  let depth = 0
  let expected: Expected = VALUE
  let at = 0
  let members = 0
  let values = 0
  let isWanted = false
  let memberStart = 0
  let member: string | undefined

  while (true) {
    let code = text.charCodeAt(at)
    while (code === SPACE || code === NEWLINE || code === RETURN || code === TAB) code = text.charCodeAt(++at)
    if (at >= length) return { fault: expected === END ? undefined : length, member, members, values }

    if (expected === VALUE || expected === FIRST_VALUE) {
      if (depth === 1) memberStart = at
      if (code === OPEN_OBJECT || code === OPEN_LIST) {
        values++
        members++
        open[depth++] = code + 2 // `[` and `]`, `{` and `}` are two apart in ASCII
        expected = code === OPEN_OBJECT ? FIRST_KEY : FIRST_VALUE
        at++
        continue
      }
      if (expected === FIRST_VALUE && code === CLOSE_LIST) at++
      else {
        values++
        const end = code === QUOTE ? stringEnd(text, at) : scalarEnd(text, at, code)
        if (end < 0) return { fault: -end - 1, member, members, values }
        at = end
        if (depth === 1 && isWanted) member = text.slice(memberStart, at)
        expected = depth === 0 ? END : SEPARATOR
        continue
      }
    } else if (expected === SEPARATOR) {
      const closing = open[depth - 1]
      if (code === COMMA) {
        expected = closing === CLOSE_OBJECT ? KEY : VALUE
        at++
        continue
      }
      if (code !== closing) return { fault: at, member, members, values }
      at++
    } else if (expected === FIRST_KEY && code === CLOSE_OBJECT) at++
    else if (expected === COLON) {
      if (code !== COLON_SIGN) return { fault: at, member, members, values }
      expected = VALUE
      at++
      continue
    } else if (expected !== END && code === QUOTE) {
      const end = stringEnd(text, at)
      if (end < 0) return { fault: -end - 1, member, members, values }
      members++
      if (depth === 1) isWanted = isName(text, at, end, wanted)
      expected = COLON
      at = end
      continue
    } else return { fault: at, member, members, values }

    // A container has just ended.
    depth--
    if (depth === 1 && isWanted) member = text.slice(memberStart, at)
    expected = depth === 0 ? END : SEPARATOR
  }
}

/** Line and column, both from 1, of an offset. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

/** What may come next; `FIRST_…` also allows the container to end. */
type Expected = 0 | 1 | 2 | 3 | 4 | 5 | 6
const VALUE = 0
const FIRST_VALUE = 1
const KEY = 2
const FIRST_KEY = 3
const COLON = 4
const SEPARATOR = 5
const END = 6

const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const COLON_SIGN = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Whether the string from `start` to `end` says `name`. A letter can also be written by its code: `\u0069d`. */
function isName(text: string, start: number, end: number, name: string): boolean {
  let at = start + 1
  for (let letter = 0; letter < name.length; letter++) {
    let code = text.charCodeAt(at++)
    if (code === BACKSLASH) {
      if (text[at] !== 'u') return false
      code = Number.parseInt(text.slice(at + 1, at + 5), 16)
      at += 5
    }
    if (code !== name.charCodeAt(letter)) return false
  }
  return at === end - 1
}

/** Offset after the string that begins at `start`; when it is faulty, -1 minus the offset of the fault. */
function stringEnd(text: string, start: number): number {
  const { length } = text
  for (let at = start + 1; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code < SPACE) return -at - 1
    if (code !== BACKSLASH) continue

    at++
    if (text.charCodeAt(at) === 0x75) {
      for (let digit = 1; digit <= 4; digit++) {
        if (!isHexDigit(text.charCodeAt(at + digit))) return -Math.min(at + digit, length) - 1
      }
      at += 4
    } else if (at >= length || !'"\\/bfnrt'.includes(text[at]!)) return -Math.min(at, length) - 1
  }
  return -length - 1
}

/** Offset after the number or word that begins at `start`; when there is none, -1 minus the offset of the fault. */
function scalarEnd(text: string, start: number, code: number): number {
  if (code === MINUS || isDigit(code)) return numberEnd(text, start)
  for (const word of ['true', 'false', 'null']) {
    if (text.startsWith(word, start)) return start + word.length
  }
  return -start - 1
}

function numberEnd(text: string, start: number): number {
  let at = text.charCodeAt(start) === MINUS ? start + 1 : start
  if (!isDigit(text.charCodeAt(at))) return -start - 1
  at = text.charCodeAt(at) === ZERO ? at + 1 : digitsEnd(text, at)

  if (text.charCodeAt(at) === POINT && isDigit(text.charCodeAt(at + 1))) at = digitsEnd(text, at + 1)
  const exponent = text.charCodeAt(at) | 0x20
  if (exponent === 0x65) {
    const sign = text.charCodeAt(at + 1)
    const digits = sign === PLUS || sign === MINUS ? at + 2 : at + 1
    if (isDigit(text.charCodeAt(digits))) at = digitsEnd(text, digits)
  }
  return at
}

function digitsEnd(text: string, start: number): number {
  let at = start
  while (isDigit(text.charCodeAt(at))) at++
  return at
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 0x39
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66)
}
