import type { SourceState } from '@pairwire/contract'
import type { ArchiveFigures } from '../../history/archive-keeper.ts'
import type { ShownNotice } from '../../notice-board.ts'
import type { Verdict } from '../../status/service-state.ts'
import { KEPT_MINUTES } from '../../status/status-history.ts'
import type { Minute, StatusRecord } from '../../status/status-record.ts'
import { incompleteTrouble, sourceTrouble } from '../../system-status.ts'
import { type Html, html } from '../html.ts'
import { dayStrip, wellWords } from './day-strip.ts'
import { exchangeBars } from './exchange-bars.ts'
import { historyWords } from './history-words.ts'
import { causeWords, incidentList } from './incident-list.ts'
import { lagChart } from './lag-chart.ts'
import { liveSource } from './live-source.ts'
import { proofPanel } from './proof.ts'
import { rateChart } from './rate-chart.ts'
import { solPrice } from './sol-price.ts'
import { tokenNames } from './token-names.ts'
import { dateOf, grouped, secondsOf } from './words.ts'

/** The data of the status page, read from the parts on each request. */
export type StatusFigures = Readonly<{
  source: SourceState
  verdict: Verdict
  /** Processes of the deployment that did not answer. */
  missing: readonly string[]
  record: StatusRecord
  notices: readonly ShownNotice[]
  history: ArchiveFigures | undefined
  /** Unix milliseconds. */
  at: number
}>

/** The state in words. */
export function stateWords({ state, cause }: Verdict): string {
  if (state === 'well') return 'All streams normal'
  if (state === 'down') return 'Down'
  return cause === 'completeness' ? 'Incomplete' : 'Delayed'
}

/** /status: the state and its cause, then two hours and 90 days of measurements. */
export function statusPage({ source, verdict, missing, record, notices, history, at }: StatusFigures): Html {
  const { days, incidents } = record
  const slots = slotsOf(record.minutes, at)
  const minutes = record.minutes.filter((minute) => minute.at >= (slots[0] ?? 0) - 30_000)
  const lagMs = minutes.at(-1)?.lagMedianMs ?? source.lagMs
  const [firstDay] = days

  return html`<h1 class="unseen">System Status</h1>
<div id="live">
<section class="state ${verdict.state}" aria-label="State">
<div><p class="state-word">${stateWords(verdict)}</p>${verdict.state !== 'well' && html`<p class="state-cause">${sourceTrouble(source) ?? incompleteTrouble(source) ?? causeWords(verdict.cause)}</p>`}<p>Checked <time id="checked" datetime="${new Date(at).toISOString()}">at ${new Date(at).toISOString().slice(11, 19)} UTC</time></p></div>
<div class="state-block"><p class="figure">${source.latestBlock === null ? 'none yet' : grouped(source.latestBlock)}</p><p>latest block</p></div>
</section>
${missing.length > 0 && html`<p role="status">No answer from ${missing.join(', ')}. Its last known figures are shown.</p>`}
<div class="status-grid">
<section class="panel" aria-labelledby="rate"><header><h2 id="rate">Events per second <span class="figure">${grouped(source.eventsPerSecond)}</span></h2><p class="legend"><span class="buy-word">Buy above</span> <span class="sell-word">Sell below</span></p></header>
${rateChart(minutes, slots)}</section>
<section class="panel" aria-labelledby="lag"><header><h2 id="lag">Lag <span class="figure">${lagMs === null ? 'not known' : secondsOf(lagMs)}</span></h2><p class="legend second">median, and slowest 1%</p></header>
${lagChart(minutes, slots)}</section>
<div class="status-column"><section class="panel" aria-labelledby="days"><header><h2 id="days">Last 90 days ${wellWords(days)}</h2>${firstDay && days.length < 90 && html`<p class="legend second">measured since ${dateOf(firstDay.day)}</p>`}</header>
${dayStrip(days, at)}
${incidentList(incidents, notices, at)}</section>
${solPrice(source.solPrice, source.up)}
${source.metadata && tokenNames(source.metadata)}</div>
<section class="panel exchange-panel" aria-labelledby="exchanges"><header><h2 id="exchanges">Events by exchange</h2><p class="legend second">last hour</p></header>
${exchangeBars(minutes, at)}</section>
${source.live && liveSource(source.live)}
${source.proof && proofPanel(source.proof, days)}
</div>
${history && html`<p>${historyWords(history, at)}</p>`}
<p class="second">All times are UTC.</p>
</div>`
}

/** Starts of the minutes of a two-hour chart; the newest is the last one measured, unless that is long ago. */
function slotsOf(minutes: readonly Minute[], now: number): number[] {
  const last = minutes.at(-1)?.at ?? 0
  const end = now - last < 3 * 60_000 ? last : now - 60_000
  return Array.from({ length: KEPT_MINUTES }, (_, index) => end - (KEPT_MINUTES - 1 - index) * 60_000)
}
