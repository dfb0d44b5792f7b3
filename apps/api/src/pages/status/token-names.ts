import type { MetadataState } from '@pairwire/contract'
import { type Html, html } from '../html.ts'
import { table } from './table.ts'

/** How many new pairs had their token's name and picture, at once and within a minute. */
export function tokenNames(state: MetadataState): Html {
  const { pairs, trouble } = state
  const row = (what: string, soon: number | null, later: number | null) =>
    html`<tr><th scope="row">${what}</th><td class="number">${percentOf(soon)}</td><td class="number">${percentOf(later)}</td></tr>`
  const rows = [
    row('Name', state.nameWithin1s, state.nameWithin60s),
    row('Picture', state.pictureWithin1s, state.pictureWithin60s),
    row('Both', state.bothWithin1s, state.bothWithin60s),
  ]
  return html`<section class="panel source" aria-labelledby="names"><header><h2 id="names">Names and pictures of new pairs</h2><p class="legend second">${
    pairs === 0 ? 'no new pair is a minute old yet' : `the last ${pairs} new pairs`
  }</p></header>
${trouble !== null && html`<p>${trouble}</p>`}
${table('Share of new pairs whose token was known', ['Token details available', 'Within 1 s', 'Within 60 s'], 1, rows)}</section>`
}

function percentOf(share: number | null): string {
  return share === null ? 'not measured' : `${(share * 100).toFixed(1)}%`
}
