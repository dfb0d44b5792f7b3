/**
 * JSON read as text, for what the parsed value cannot tell: the source of one member, to echo it exactly, and the
 * place of a fault. One pass without recursion, so that depth costs no stack.
 */
type Reading = Readonly<{
  /** Offset of the first character that cannot stand there; undefined when the text is JSON. */
  fault: number | undefined
  /** Source of the wanted member of the outermost object; the last one when it comes twice, as in `JSON.parse`. */
  member: string | undefined
}>

/** Source text of the member `name` of the outermost object of `text`; undefined when there is none. */
export function readMemberSource(text: string, name: string): string | undefined {
  return read(text, name).member
}

/** Line and column, both from 1, at which `text` stops being JSON; undefined when it is JSON. */
export function locateJsonFault(text: string): { line: number; column: number } | undefined {
  const { fault } = read(text, undefined)
  if (fault === undefined) return undefined

  const before = text.slice(0, fault)
  return { line: before.split('\n').length, column: fault - before.lastIndexOf('\n') }
}

/** What may come next. `first…` also allows the container to end. */
type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'separator' | 'end'

function read(text: string, name: string | undefined): Reading {
  const containers: ('{' | '[')[] = []
  let expected: Expected = 'value'
  let at = 0
  let key: string | undefined
  let memberStart = 0
  let member: string | undefined

  /** Notes the value that has just ended, and says what may follow it. */
  const endValue = (): Expected => {
    if (containers.length === 1 && key === name && name !== undefined) member = text.slice(memberStart, at)
    return containers.length === 0 ? 'end' : 'separator'
  }

  while (true) {
    while (isSpace(text.charCodeAt(at))) at++
    if (at === text.length) return { fault: expected === 'end' ? undefined : at, member }

    const character = text[at]!
    switch (expected) {
      case 'end':
        return { fault: at, member }

      case 'colon':
        if (character !== ':') return { fault: at, member }
        at++
        expected = 'value'
        break

      case 'separator': {
        const container = containers.at(-1)
        if (character === ',') {
          at++
          expected = container === '{' ? 'key' : 'value'
        } else if (character === (container === '{' ? '}' : ']')) {
          at++
          containers.pop()
          expected = endValue()
        } else return { fault: at, member }
        break
      }

      case 'key':
      case 'firstKey': {
        if (expected === 'firstKey' && character === '}') {
          at++
          containers.pop()
          expected = endValue()
          break
        }
        if (character !== '"') return { fault: at, member }
        const end = stringEnd(text, at)
        if (end < 0) return { fault: -end, member }
        if (containers.length === 1) key = JSON.parse(text.slice(at, end))
        at = end
        expected = 'colon'
        break
      }

      case 'value':
      case 'firstValue': {
        if (expected === 'firstValue' && character === ']') {
          at++
          containers.pop()
          expected = endValue()
          break
        }
        if (containers.length === 1) memberStart = at
        if (character === '{' || character === '[') {
          at++
          containers.push(character)
          expected = character === '{' ? 'firstKey' : 'firstValue'
          break
        }
        const end = character === '"' ? stringEnd(text, at) : scalarEnd(text, at)
        if (end < 0) return { fault: -end, member }
        if (end === at) return { fault: at, member }
        at = end
        expected = endValue()
      }
    }
  }
}

/** Offset after the string that begins at `start`; when it is faulty, the offset of the fault, negated. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code < 0x20) return -at
    if (code !== 0x5c) continue

    at++
    if (text[at] === 'u') {
      for (let digit = 1; digit <= 4; digit++) {
        if (!/[0-9a-fA-F]/.test(text.charAt(at + digit))) return -(at + digit)
      }
      at += 4
    } else if (at >= text.length || !'"\\/bfnrt'.includes(text[at]!)) return -at
  }
  return -text.length
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORDS = ['true', 'false', 'null']

/** Offset after the number or word that begins at `start`, or `start` when there is none. */
function scalarEnd(text: string, start: number): number {
  const word = WORDS.find((candidate) => text.startsWith(candidate, start))
  if (word) return start + word.length

  NUMBER.lastIndex = start
  return NUMBER.test(text) ? NUMBER.lastIndex : start
}

/** The four characters that JSON allows between tokens. NaN, past the end, is none. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}
