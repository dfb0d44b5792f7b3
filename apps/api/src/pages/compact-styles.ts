/** A style sheet without anything that browsers ignore: comments, line breaks, spaces between its parts. */
export function compactStyles(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split(TEXTS)
    .map((piece, at) => (at % 2 === 1 ? piece : compact(piece)))
    .join('')
    .trim()
}

/** Its strings, which stay unchanged: every second piece after splitting at them. */
const TEXTS = /("(?:[^"\\\n]|\\.)*")/

/** A space before a colon is kept: `.page :focus` is another selector than `.page:focus`. */
function compact(piece: string): string {
  return piece
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;\}/g, '}')
}
