import { exchangeName } from '@pairwire/contract'
import type { ShownNotice } from '../../notice-board.ts'
import { MEASURE_EVERY_MS } from '../../status/status-history.ts'
import type { Incident } from '../../status/status-record.ts'
import { type Html, html } from '../html.ts'
import { clockOf, dateOf, lengthOf } from './words.ts'

/** Lines shown at first; older ones need a click. */
const FIRST = 5
const MOST = 40

/** Measured incidents and the operator's notices, newest first, with times and lengths. */
export function incidentList(
  incidents: readonly Incident[],
  notices: readonly ShownNotice[],
  now: number,
): Html {
  const lines = [...incidents.map((incident) => fromIncident(incident, now)), ...notices.map(fromNotice)]
    .sort((left, right) => right.at - left.at)
    .slice(0, MOST)
  if (lines.length === 0) return html`<p class="second incidents-none">No incidents and no notices.</p>`

  const older = lines.slice(FIRST)
  return html`<ul class="incidents">${lines.slice(0, FIRST).map(draw)}</ul>${
    older.length > 0 &&
    html`<details class="as-table" data-name="incidents"><summary class="table-switch">Show ${older.length} older</summary><ul class="incidents">${older.map(draw)}</ul></details>`
  }`
}

type Line = Readonly<{ at: number; sentence: string; badge: string; tone: 'danger' | 'warning' | 'info' }>

function draw({ at, sentence, badge, tone }: Line): Html {
  return html`<li><time datetime="${new Date(at).toISOString()}">${dateOf(at)} <span class="number">${clockOf(at)}</span></time><span>${sentence}</span><strong class="length ${tone}">${badge}</strong></li>`
}

function fromIncident({ state, cause, from, to }: Incident, now: number): Line {
  const goesOn = now - to < 2 * MEASURE_EVERY_MS
  return {
    at: from,
    sentence: state === 'partial' ? partialSentence(cause) : causeWords(cause),
    badge: goesOn ? 'now' : lengthOf((to - from) / 1_000),
    tone: state === 'down' ? 'danger' : 'warning',
  }
}

function partialSentence(exchange: string): string {
  return `Some ${exchangeName(exchange)} events may be missing: some of its instructions were unknown`
}

/** The description of a cause, by its name in `judge`. */
export function causeWords(cause: string): string {
  if (cause === 'lag') return 'Events more than 5 seconds late'
  if (cause === 'completeness') return 'Events missing or wrong, compared with the chain'
  if (cause === 'source') return 'No live data: source of transactions down'
  if (cause === 'database') return 'Database down: no sign-ins and no new connections'
  if (cause === 'disk') return 'Disk full: no changes possible'
  return `Part of the service down: ${cause}`
}

function fromNotice({ details, createdAt, clearedAt }: ShownNotice): Line {
  return {
    at: createdAt.getTime(),
    sentence: details,
    badge: clearedAt ? lengthOf((clearedAt.getTime() - createdAt.getTime()) / 1_000) : 'notice',
    tone: 'info',
  }
}
