// Characters that control a terminal, a reader or a compiler are always written as escapes: a request may come from a
// link, and a program must do what it shows.

/** Quotes `text` as one argument of bash or zsh. A zero byte, which arguments cannot contain, is omitted. */
export function quoteForShell(text: string): string {
  const plain = wellFormed(text).replaceAll('\0', '')
  if (!STEERING.test(plain)) return `'${plain.replaceAll("'", `'\\''`)}'`
  return `$'${escaped(plain, /['!]/, (code) => (code < 0x80 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`))}'`
}

/** Quotes `text` as a JavaScript literal. Several lines become a template without placeholders. */
export function quoteForJavaScript(text: string): string {
  const asEscape = (code: number) => `\\u${hex(code, 4)}`
  const plain = wellFormed(text)
  return plain.includes('\n')
    ? `\`${escaped(plain, /[`$]/, asEscape)}\``
    : `'${escaped(plain, /'/, asEscape)}'`
}

/** Quotes `text` as a string literal of Python 3. */
export function quoteForPython(text: string): string {
  const plain = wellFormed(text)
  const mark = plain.includes('\n') ? "'''" : "'"
  return mark + escaped(plain, /'/, (code) => `\\u${hex(code, 4)}`) + mark
}

/** Quotes `text` as a string literal of Go: raw if possible. */
export function quoteForGo(text: string): string {
  const plain = wellFormed(text)
  if (!plain.includes('`') && !STEERING.test(plain)) return `\`${plain}\``
  return `"${escaped(plain, /["\n]/, (code) => `\\u${hex(code, 4)}`)}"`
}

/** Quotes `text` as a string literal of Rust: raw if possible. */
export function quoteForRust(text: string): string {
  const plain = wellFormed(text)
  if (STEERING.test(plain)) return `"${escaped(plain, /["\n]/, (code) => `\\u{${hex(code, 1)}}`)}"`
  const longest = Math.max(0, ...[...plain.matchAll(/"(#*)/g)].map(([, hashes]) => hashes!.length + 1))
  const hashes = '#'.repeat(longest)
  return `r${hashes}"${plain}"${hashes}`
}

/** Control characters except the line feed, line separators, direction marks, joiners and the byte order mark. */
const STEERING = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u

function escaped(text: string, special: RegExp, asEscape: (code: number) => string): string {
  let written = ''
  for (const letter of text) {
    const code = letter.codePointAt(0)!
    if (letter === '\\') written += '\\\\'
    else if (code > 0xffff || !(STEERING.test(letter) || special.test(letter))) written += letter
    else written += SHORT[letter] ?? asEscape(code)
  }
  return written
}

/** Escapes that all of these languages support. */
const SHORT: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  "'": "\\'",
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}

/** Replaces lone surrogates with the replacement character, as a socket does. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
