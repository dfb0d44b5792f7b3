import type { GatewayStats, SourceState } from '../parts.ts'
import { LAG_NOTICE_MS } from '../system-status.ts'
import { type Html, html } from './html.ts'

/** What the status page shows, taken from the parts when it is asked for. */
export type StatusFigures = Readonly<{
  source: SourceState
  gateway: GatewayStats
  /** Undefined when the parts did not answer in time. */
  parts: Readonly<Record<string, boolean>> | undefined
  notices: readonly { Details: string }[]
  /** Unix milliseconds. */
  at: number
}>

/** /status: one line that says how it is, then the figures it comes from. */
export function statusPage(figures: StatusFigures): Html {
  const { source, gateway } = figures
  const state = stateOf(figures)
  const latestBlock = source.latestBlock === null ? 'none yet' : grouped(source.latestBlock)
  const lag = source.lagMs === null ? 'none yet' : `${(source.lagMs / 1_000).toFixed(1)} s`

  return html`<h1 class="unseen">System Status</h1>
<div id="live">
<section class="state ${state.tone}" aria-label="State">
<div><p class="state-word">${state.word}</p><p>Checked at ${clockTime(figures.at)} UTC</p></div>
<div class="state-block"><p class="figure">${latestBlock}</p><p>latest block</p></div>
</section>
<div class="grid">
<section class="panel"><h2>Now</h2><dl class="facts">
<div><dt>Events per second</dt><dd class="figure">${grouped(Math.round(source.eventsPerSecond))}</dd></div>
<div><dt>Lag</dt><dd class="figure">${lag}</dd></div>
<div><dt>Open connections</dt><dd class="figure">${grouped(gateway.connections)}</dd></div>
</dl></section>
<section class="panel"><h2>Parts</h2><dl class="facts">${Object.entries(figures.parts ?? {}).map(
    ([name, up]) =>
      html`<div><dt>${name}</dt><dd>${up ? 'up' : html`<strong class="danger">down</strong>`}</dd></div>`,
  )}</dl>${figures.parts === undefined && html`<p>The parts do not answer.</p>`}</section>
<section class="panel wide"><h2>Events by exchange <span class="quiet">since the start</span></h2>${exchangeBars(source.events)}</section>
<section class="panel wide"><h2>Notices</h2>${
    figures.notices.length > 0
      ? html`<ul>${figures.notices.map(({ Details }) => html`<li>${Details}</li>`)}</ul>`
      : html`<p class="quiet">None at present.</p>`
  }</section>
</div>
</div>`
}

function stateOf({ source, parts }: StatusFigures): { word: string; tone: 'well' | 'late' | 'down' } {
  if (!source.up || parts === undefined || Object.values(parts).includes(false)) {
    return { word: 'Down', tone: 'down' }
  }
  if (source.lagMs !== null && source.lagMs > LAG_NOTICE_MS) return { word: 'Delayed', tone: 'late' }
  return { word: 'All streams normal', tone: 'well' }
}

/** Names of exchanges as people know them; the wire's own name for one that is not here. */
const EXCHANGE_NAMES: Readonly<Record<string, string>> = {
  pumpfun: 'Pump.fun',
  pumpswap: 'PumpSwap',
  raydium: 'Raydium',
  raydium_launchlab: 'Raydium LaunchLab',
}

/** Width of the longest bar, in units of the drawing. */
const BAR_WIDTH = 200

function exchangeBars(events: SourceState['events']): Html {
  const rows = Object.entries(events)
    .map(([exchange, { newPairs, swaps }]) => ({ exchange, newPairs, swaps, all: newPairs + swaps }))
    .sort((left, right) => right.all - left.all)
  const most = Math.max(1, ...rows.map((row) => row.all))
  if (rows.length === 0) return html`<p class="quiet">No events yet.</p>`

  return html`<div class="table" role="region" aria-label="Events by exchange" tabindex="0"><table>
<thead><tr><th scope="col">Exchange</th><th scope="col"><span class="unseen">Share</span></th><th scope="col" class="number">New pairs</th><th scope="col" class="number">Swaps</th></tr></thead>
<tbody>${rows.map(
    (row) => html`<tr><th scope="row">${EXCHANGE_NAMES[row.exchange] ?? row.exchange}</th>
<td><svg class="bar" viewBox="0 0 ${BAR_WIDTH} 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${Math.round((row.all / most) * BAR_WIDTH)}" height="8"/></svg></td>
<td class="number">${grouped(row.newPairs)}</td><td class="number">${grouped(row.swaps)}</td></tr>`,
  )}</tbody></table></div>`
}

function grouped(value: number): string {
  return value.toLocaleString('en-GB')
}

function clockTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19)
}
