import type { Language } from './code-samples.ts'
import { type Html, html } from './html.ts'

/**
 * Code with its comments, strings and numbers marked. If `language` is given, the place that reads the key is marked too, for
 * the script that inserts a key; the key itself is never part of a page.
 */
export function highlight(text: string, language?: Language): Html {
  if (!language) return html`${pieces(text)}`
  const [before, ...rest] = text.split(language.keyFromEnvironment)
  return html`${pieces(before ?? '')}${rest.map(
    (part) =>
      html`<span data-key data-quote="${language.quote}">${language.keyFromEnvironment}</span>${pieces(part)}`,
  )}`
}

/** A comment to the end of its line, a quoted string, or a number. */
const MARKED =
  /(?<comment>(?:\/\/|#) .*$)|(?<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`)|(?<number>\b\d[\d_.]*\b)/gm

function pieces(text: string): Html[] {
  const found: Html[] = []
  let from = 0
  for (const match of text.matchAll(MARKED)) {
    const kind =
      match.groups?.comment !== undefined ? 'comment' : match.groups?.text !== undefined ? 'text' : 'number'
    found.push(html`${text.slice(from, match.index)}<span class="code-${kind}">${match[0]}</span>`)
    from = match.index + match[0].length
  }
  found.push(html`${text.slice(from)}`)
  return found
}
