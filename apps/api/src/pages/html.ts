/** A piece of HTML that is safe to insert into a page unchanged. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * Template tag for HTML: every value is escaped, except pieces that are {@link Html} already; lists are joined; `undefined`
 * and `false` become nothing.
 *
 * @example html`<p title="${untrusted}">${[html`<b>1</b>`, html`<b>2</b>`]}</p>`.text
 */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Html(strings.map((part, index) => part + rendered(values[index])).join(''))
}

/** Values that a template accepts. */
type Piece = Html | string | number | false | undefined | readonly Piece[]

function rendered(piece: Piece): string {
  if (piece === undefined || piece === false) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'object') return piece.map(rendered).join('')
  return escaped(String(piece))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The text content of a piece of HTML. */
export function textOf({ text }: Html): string {
  return text
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => CHARACTERS.get(entity) ?? '')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,:;?)])/g, '')
    .trim()
}

const CHARACTERS = new Map(Object.entries(ENTITIES).map(([character, entity]) => [entity, character]))

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
