import { type Html, html } from '../html.ts'

/** What a reader needs of a field. */
export type Field = Readonly<{
  /** Path in the frame, for the link between the field and its place in the example. */
  path: string
  type: string
  example: string
  meaning: Html | string
}>

/** A row for each field: name, type, example, meaning. */
export function fieldRows(fields: readonly Field[]): Html {
  return html`<ul class="fields">${fields.map(
    ({ path, type, example, meaning }) =>
      html`<li data-field="${path}"><p class="field-name"><code>${path}</code> <span class="quiet">${type}</span></p><p>${meaning}</p><p class="field-example"><span class="quiet">Example</span> <code>${example}</code></p></li>`,
  )}</ul>`
}

/** A table with a head; it scrolls inside itself where it is too wide. */
export function table(heads: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  return html`<div class="table" role="region" aria-label="${heads.join(', ')}" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`
}
