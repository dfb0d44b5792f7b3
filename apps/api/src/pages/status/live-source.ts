import type { LiveEndpoint, LiveSourceState } from '@pairwire/contract'
import { type Html, html } from '../html.ts'
import { table } from './table.ts'
import { grouped } from './words.ts'

/** The sources of the live chain: each endpoint, and the gaps. */
export function liveSource(live: LiveSourceState): Html {
  return html`<section class="panel source" aria-labelledby="source"><header><h2 id="source">Source</h2><p class="legend second">${
    live.slotMs === null ? 'slot time not known yet' : `a slot every ${grouped(live.slotMs)} ms`
  }</p></header>
${live.cannotSee !== undefined && html`<p class="second">${live.cannotSee}</p>`}
${table('Endpoints that the chain is read from', ['Endpoint', 'State', 'Slot'], 2, live.endpoints.map(drawEndpoint))}
<p class="legend">Gaps since the start: <span class="figure">${grouped(live.holesFilled)}</span> recovered, <span class="figure">${grouped(live.holesNotFilled)}</span> lost (<span class="figure">${grouped(live.slotsMissed)}</span> slots).${Object.entries(
    live.alarms,
  ).map(
    ([alarm, count]) => html` <strong class="length danger">${alarmWords(alarm)}: ${grouped(count)}</strong>`,
  )}</p></section>`
}

const STATE = {
  connected: { tone: 'well', word: 'connected' },
  connecting: { tone: 'warning', word: 'connecting' },
  resting: { tone: 'danger', word: 'down' },
} as const

function drawEndpoint({ name, state, slot }: LiveEndpoint): Html {
  const { tone, word } = STATE[state]
  return html`<tr><th scope="row">${name}</th><td><strong class="length ${tone}">${word}</strong></td><td class="number">${slot === null ? 'none yet' : grouped(slot)}</td></tr>`
}

function alarmWords(alarm: string): string {
  if (alarm === 'otherBlock') return 'Slots whose block differs from the published one'
  if (alarm === 'tooMuchHeld') return 'Times the buffer overflowed'
  return alarm
}
