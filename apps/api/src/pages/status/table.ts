import { type Html, html } from '../html.ts'

/** A switch that opens the numbers of a picture. `name` tells the page's script which ones are open. */
export function asTable(
  name: string,
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Html {
  if (rows.length === 0) return html``
  const drawn = rows.map(
    ([first = '', ...rest]) =>
      html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td class="number">${cell}</td>`)}</tr>`,
  )
  return html`<details class="as-table" data-name="${name}"><summary class="table-switch">Show as table</summary>
${table(caption, heads, 1, drawn)}</details>`
}

/** A table in a region that scrolls. Its first `words` columns hold words, the others numbers. */
export function table(caption: string, heads: readonly string[], words: number, rows: readonly Html[]): Html {
  return html`<div class="table" role="region" aria-label="${caption}" tabindex="0"><table><caption class="unseen">${caption}</caption>
<thead><tr>${heads.map((head, index) => html`<th scope="col"${index >= words && html` class="number"`}>${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div>`
}

/** The frame of a picture without data, with one sentence. */
export function emptyFrame(sentence: string): Html {
  return html`<p class="empty-frame">${sentence}</p>`
}

/** The sentence of the charts in the first minute of a service. */
export const NOTHING_MEASURED = 'No minute has been measured yet.'
