// Letters that steer a terminal, a reader or a compiler are always written as escapes: a request may come from a
// link, and what a program shows must be what it does.

/** `text` as one argument of bash or zsh. A zero byte, which no argument can hold, is left out. */
export function quoteForShell(text: string): string {
  const plain = wellFormed(text).replaceAll('\0', '')
  if (!STEERING.test(plain)) return `'${plain.replaceAll("'", `'\\''`)}'`
  return `$'${escaped(plain, /['!]/, (code) => (code < 0x80 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`))}'`
}

/** `text` as a literal of JavaScript. One of several lines becomes a template without places. */
export function quoteForJavaScript(text: string): string {
  const asEscape = (code: number) => `\\u${hex(code, 4)}`
  const plain = wellFormed(text)
  return plain.includes('\n')
    ? `\`${escaped(plain, /[`$]/, asEscape)}\``
    : `'${escaped(plain, /'/, asEscape)}'`
}

/** `text` as a string literal of Python 3. */
export function quoteForPython(text: string): string {
  const plain = wellFormed(text)
  const mark = plain.includes('\n') ? "'''" : "'"
  return mark + escaped(plain, /'/, (code) => `\\u${hex(code, 4)}`) + mark
}

/** `text` as a string literal of Go: raw where that can hold it. */
export function quoteForGo(text: string): string {
  const plain = wellFormed(text)
  if (!plain.includes('`') && !STEERING.test(plain)) return `\`${plain}\``
  return `"${escaped(plain, /["\n]/, (code) => `\\u${hex(code, 4)}`)}"`
}

/** `text` as a string literal of Rust: raw where that can hold it. */
export function quoteForRust(text: string): string {
  const plain = wellFormed(text)
  if (STEERING.test(plain)) return `"${escaped(plain, /["\n]/, (code) => `\\u{${hex(code, 1)}}`)}"`
  const longest = Math.max(0, ...[...plain.matchAll(/"(#*)/g)].map(([, hashes]) => hashes!.length + 1))
  const hashes = '#'.repeat(longest)
  return `r${hashes}"${plain}"${hashes}`
}

/** Control letters but the line feed, line separators, marks of direction, joiners and the byte order mark. */
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

/** Escapes that all of these languages know. */
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

/** As a socket sends it: halves of a pair that stand alone become the replacement character. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
