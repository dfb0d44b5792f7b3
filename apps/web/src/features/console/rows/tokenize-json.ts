/** A piece of a text read as JSON. The joined texts of all pieces are the text itself. */
export type JsonToken = Readonly<{
  kind: 'key' | 'string' | 'number' | 'word' | 'punctuation' | 'space' | 'unknown'
  text: string
}>

/**
 * Splits any text into pieces as JSON would, without parsing a number or a string: nothing is rounded, escaped or lost,
 * and invalid JSON becomes separate pieces. A string before a colon is a `key`.
 */
export function tokenizeJson(text: string): JsonToken[] {
  const tokens: JsonToken[] = []
  let lastString = -1
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    const kind = kindOf(piece, text.charCodeAt(index))
    if (piece === ':' && lastString >= 0) tokens[lastString] = { kind: 'key', text: tokens[lastString]!.text }
    if (kind === 'string') lastString = tokens.length
    else if (kind !== 'space') lastString = -1
    tokens.push({ kind, text: piece })
  }
  return tokens
}

/**
 * In order: space, a closed string, a number, a word, punctuation, an unclosed string up to the line's end, anything
 * else. Strings contain no raw control characters and only JSON's own escapes (RFC 8259, section 7).
 */
const PIECES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings are defined by them.
  /[ \t\n\r]+|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|[A-Za-z_$][\w$]*|[{}[\],:]|"[^\n]*|[^\s{}[\],:"]+|[\s\S]/g

const QUOTE = 34

function kindOf(piece: string, first: number): JsonToken['kind'] {
  if (first === QUOTE) return piece.length > 1 && STRING.test(piece) ? 'string' : 'unknown'
  if (first === 32 || (first >= 9 && first <= 13 && first !== 11 && first !== 12)) return 'space'
  if (PUNCTUATION.has(piece)) return 'punctuation'
  if (NUMBER.test(piece)) return 'number'
  return WORDS.has(piece) ? 'word' : 'unknown'
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const STRING = /^"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"$/
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null'])
const PUNCTUATION: ReadonlySet<string> = new Set(['{', '}', '[', ']', ',', ':'])
