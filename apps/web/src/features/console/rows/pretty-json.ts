import { type JsonToken, tokenizeJson } from './tokenize-json.ts'

/** One line of formatted JSON. */
type PrettyLine = Readonly<{
  /** Steps of indentation. */
  depth: number
  pieces: readonly JsonToken[]
  /** Path of the line's value, as `params.swap.usdValue`; empty for the outermost brackets. */
  path: string
}>

/**
 * Formats a JSON text over lines, from its pieces and not from parsed values, so that every number and string stays
 * exactly as received. Invalid JSON is split only where JSON would be.
 */
export function prettyJson(text: string): PrettyLine[] {
  const lines: PrettyLine[] = []
  const places: Place[] = []
  let pieces: JsonToken[] = []
  let name: string | undefined

  const tokens = tokenizeJson(text).filter((token) => token.kind !== 'space')
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]
    switch (token.text) {
      case '{':
      case '[': {
        pieces.push(token)
        if (next?.text === closing(token.text)) break
        endLine()
        places.push({ name: placeName(), isList: token.text === '[', entry: 0 })
        name = undefined
        break
      }
      case '}':
      case ']':
        if (pieces.at(-1)?.text !== (token.text === '}' ? '{' : '[')) {
          endLine()
          name = places.pop()?.name
        }
        pieces.push(token)
        if (next?.text !== ',') endLine()
        break
      case ',': {
        pieces.push(token)
        endLine()
        const place = places.at(-1)
        if (place) place.entry++
        name = undefined
        break
      }
      case ':':
        pieces.push(token, SPACE)
        break
      default:
        if (token.kind === 'key') name = unquoted(token.text)
        pieces.push(token)
        if (token.kind !== 'key' && next?.text !== ',') endLine()
    }
  }
  endLine()
  return lines

  function endLine() {
    if (pieces.length === 0) return
    const path = [...places.map((place) => place.name), placeName()].filter((part) => part !== undefined)
    lines.push({ depth: places.length, pieces, path: joined(path) })
    pieces = []
  }

  function placeName(): string | undefined {
    const place = places.at(-1)
    return place?.isList ? `[${place.entry}]` : name
  }
}

/** An open object or list: its name within its parent, and for a list the current entry. */
type Place = { name: string | undefined; isList: boolean; entry: number }

const SPACE: JsonToken = { kind: 'space', text: ' ' }

function closing(opening: string): string {
  return opening === '{' ? '}' : ']'
}

function unquoted(key: string): string {
  try {
    return String(JSON.parse(key))
  } catch {
    return key
  }
}

function joined(parts: readonly string[]): string {
  return parts.reduce((path, part) => {
    if (part.startsWith('[') || path === '') return path + part
    return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(part) ? `${path}.${part}` : `${path}[${JSON.stringify(part)}]`
  }, '')
}
