import { exchangeName } from '@pairwire/contract'
import type { Minute } from '../../status/status-record.ts'
import { type Html, html } from '../html.ts'
import { emptyFrame, NOTHING_MEASURED } from './table.ts'
import { grouped, short } from './words.ts'

const MINUTES = 60

/** Width of the longest bar, in units of the drawing. */
const BAR_WIDTH = 200

/** Events of the last hour by exchange, the most first. The picture itself is a table. */
export function exchangeBars(minutes: readonly Minute[], now: number): Html {
  const rows = [...eventsByExchange(minutes, now)].sort(([, left], [, right]) => right - left)
  if (rows.length === 0)
    return emptyFrame(minutes.length === 0 ? NOTHING_MEASURED : 'No events in the last hour.')
  const most = Math.max(1, ...rows.map(([, count]) => count))

  return html`<table class="exchanges"><caption class="unseen">Events by exchange in the last hour</caption>
<thead class="unseen"><tr><th scope="col">Exchange</th><th scope="col">Share</th><th scope="col">Events</th></tr></thead>
<tbody>${rows.map(
    ([exchange, count]) => html`<tr><th scope="row" class="exchange-name">${exchangeName(exchange)}</th>
<td class="exchange-share"><svg class="bar" viewBox="0 0 ${BAR_WIDTH} 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${Math.max(1, Math.round((count / most) * BAR_WIDTH))}" height="10"/></svg></td>
<td class="number exchange-count" title="${grouped(count)}">${short(count)}</td></tr>`,
  )}</tbody></table>`
}

/** Events of the last hour by exchange. */
export function eventsByExchange(minutes: readonly Minute[], now: number): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { at, exchanges } of minutes) {
    if (at < now - (MINUTES + 1) * 60_000) continue
    for (const [exchange, count] of Object.entries(exchanges)) {
      sums.set(exchange, (sums.get(exchange) ?? 0) + count)
    }
  }
  return sums
}
