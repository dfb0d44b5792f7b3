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
      html`<li data-field="${path}"><p class="field-name"><code>${path}</code> <span class="second">${type}</span></p><p>${meaning}</p><p class="field-example"><span class="second">Example</span> <code>${example}</code></p></li>`,
  )}</ul>`
}

/**
 * A table with a head; it scrolls inside itself where it is too wide. On a phone each row stands as a block, its cells
 * under one another with the names of their columns: the roles keep it a table for those who do not see it.
 */
export function table(heads: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  return html`<div class="table stacking" role="region" aria-label="${heads.join(', ')}" tabindex="0"><table role="table">
<thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${row.map((cell, column) => html`<td role="cell" data-head="${heads[column] ?? ''}"><span>${cell}</span></td>`)}</tr>`)}</tbody>
</table></div>`
}
