import { type Html, html, textOf } from '../html.ts'

/** A row for each field, from its name, type, example and meaning. */
export function fieldRows(fields: readonly (readonly Html[])[]): Html {
  return html`<ul class="fields">${fields.map(
    ([name, type, example, meaning]) =>
      html`<li data-field="${name && textOf(name)}"><p class="field-name">${name} <span class="second">${type}</span></p><p>${meaning}</p><p class="field-example"><span class="second">Example</span> ${example}</p></li>`,
  )}</ul>`
}

/**
 * A table with a header; it scrolls inside itself if it is too wide. On a phone each row becomes a block, its cells below one
 * another with their column names: the roles keep it a table for screen readers.
 */
export function table(heads: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`<div class="table stacking" role="region" aria-label="${heads.join(', ')}" tabindex="0"><table role="table">
<thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${row.map((cell, column) => html`<td role="cell" data-head="${heads[column] ?? ''}"><span>${cell}</span></td>`)}</tr>`)}</tbody>
</table></div>`
}
