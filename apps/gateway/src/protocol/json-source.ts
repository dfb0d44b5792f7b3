/** Facts about a frame's text that its parsed value does not tell: its extent, the source of one member, its fault. */
export type JsonSource = Readonly<{
  /** Offset of the first invalid character; undefined when the text is JSON. */
  fault: number | undefined
  /** Source of the wanted member of the outermost object; the last one if repeated, as in `JSON.parse`. */
  member: string | undefined
  /** Members, lists and objects, at any depth. */
  members: number
  /** Values of any kind, at any depth. */
  values: number
}>

/**
 * Reads `text` once by the JSON grammar, before anything is built from it: in about the time of `JSON.parse`, and depth
 * costs no stack.
 *
 * @param wanted name of the member whose source is kept, only letters
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
        const end = code === QUOTE ? stringEnd(text, at) : scalarEnd(text, at)
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

/** The tokens that may come next; `FIRST_…` also allows the container to end. */
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
const COMMA = 0x2c
const COLON_SIGN = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Whether the string from `start` to `end` is `name`, whose letters may be escaped: `\\u0069d`. */
function isName(text: string, start: number, end: number, name: string): boolean {
  const isShort = end - start <= 2 + 6 * name.length
  return isShort && JSON.parse(text.slice(start, end)) === name
}

/** The valid part of a string, without its closing quote. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings hold none
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*/y

/** An invalid escape, up to the character that it fails at. */
const ESCAPE = /\\(?:u[\dA-Fa-f]{0,3})?/y

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y

/** Returns the offset after the string that begins at `start`; if it is invalid, -1 minus the offset of the fault. */
function stringEnd(text: string, start: number): number {
  const end = endOf(STRING, text, start)
  const code = text.charCodeAt(end)
  if (code === QUOTE) return end + 1
  return -1 - (code === BACKSLASH ? endOf(ESCAPE, text, end) : end)
}

/** Returns the offset after the number or word at `start`; if there is none, -1 minus the offset of the fault. */
function scalarEnd(text: string, start: number): number {
  const end = endOf(SCALAR, text, start)
  return end > start ? end : -1 - start
}

/** Returns the offset up to which a sticky pattern matches from `start`; `start` if it does not. */
function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start
}
