import { lastDays } from '../../day-text.ts'
import { KEPT_DAYS } from '../../status/status-history.ts'
import type { Day } from '../../status/status-record.ts'
import { type Html, html } from '../html.ts'
import { asTable } from './table.ts'
import { dateOf, lengthOf } from './words.ts'

const HEIGHT = 22

/** Seconds in trouble from which a day is marked. */
const MARKED_SECONDS = 60

/** Days that are named under the strip: the worst ones. */
const NAMED = 2

/** 90 days, one bar each: full if all was well, shorter and marked if late or down, a stub if nothing was measured. */
export function dayStrip(days: readonly Day[], now: number): Html {
  const known = new Map(days.map((day) => [day.day, day]))
  const cells = lastDays(KEPT_DAYS, now).map((day, slot) => ({ day, known: known.get(day), slot }))
  const drawn = (kind: DayKind, height: number) =>
    html`<path class="day-${kind}" d="${cells
      .filter((cell) => kindOf(cell.known) === kind)
      .map(({ slot }) => `M${slot + 0.1} ${HEIGHT - height}h.8v${height}h-.8z`)
      .join('')}"/>`

  return html`<svg class="day-strip" viewBox="0 0 ${KEPT_DAYS} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${sentence(days)}">
${drawn('none', 2)}${drawn('well', HEIGHT)}${drawn('late', 14)}${drawn('down', 8)}
</svg>
<p class="axis words"><span>${dateOf(cells[0]?.day ?? now)}</span>${named(days).map((day) => mark(day))}<span>today</span></p>
${asTable(
  'days',
  'The last 90 days, UTC',
  ['Day', 'Measured', 'Delayed', 'Down'],
  [...days]
    .reverse()
    .map((day) => [
      dateOf(day.day),
      lengthOf(day.well + day.late + day.down),
      trouble(day.late),
      trouble(day.down),
    ]),
)}`
}

/** The share of the measured time in which all was well; in the first hour only its length, since a share would mislead. */
export function wellWords(days: readonly Day[]): Html {
  const measured = measuredSeconds(days)
  if (measured === 0) return html`<span class="second">not measured yet</span>`
  if (measured < 3_600) return html`<span class="second">measured for ${lengthOf(measured)}</span>`
  return html`<span class="figure">${wellPercent(days)}</span>`
}

function measuredSeconds(days: readonly Day[]): number {
  return days.reduce((sum, day) => sum + day.well + day.late + day.down, 0)
}

/** Never rounded up. */
function wellPercent(days: readonly Day[]): string {
  const well = days.reduce((sum, day) => sum + day.well, 0)
  const all = measuredSeconds(days)
  return well === all ? '100%' : `${(Math.floor((well / all) * 10_000) / 100).toFixed(2)}%`
}

type DayKind = 'none' | 'well' | 'late' | 'down'

function kindOf(day: Day | undefined): DayKind {
  if (!day || day.well + day.late + day.down === 0) return 'none'
  if (day.down >= MARKED_SECONDS) return 'down'
  return day.late >= MARKED_SECONDS ? 'late' : 'well'
}

function named(days: readonly Day[]): Day[] {
  return days
    .filter((day) => kindOf(day) === 'down' || kindOf(day) === 'late')
    .sort((left, right) => right.down - left.down || right.late - left.late)
    .slice(0, NAMED)
    .sort((left, right) => (left.day < right.day ? -1 : 1))
}

function mark(day: Day): Html {
  return kindOf(day) === 'down'
    ? html`<span class="danger">${dateOf(day.day)}, outage ${lengthOf(day.down)}</span>`
    : html`<span class="warning">${dateOf(day.day)}, delay ${lengthOf(day.late)}</span>`
}

function trouble(seconds: number): string {
  return seconds === 0 ? 'none' : lengthOf(seconds)
}

function sentence(days: readonly Day[]): string {
  if (measuredSeconds(days) === 0) return 'The last 90 days: nothing was measured yet.'
  const marked = days.filter((day) => ['late', 'down'].includes(kindOf(day))).length
  return `The last 90 days: ${days.length} measured, all streams normal for ${wellPercent(days)} of that time, ${marked} with an outage or a delay.`
}
