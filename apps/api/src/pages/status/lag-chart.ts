import { KEPT_MINUTES } from '../../status/status-history.ts'
import type { Minute } from '../../status/status-record.ts'
import { type Html, html } from '../html.ts'
import { slotOf, timeAxis } from './rate-chart.ts'
import { asTable, emptyFrame, NOTHING_MEASURED } from './table.ts'
import { clockOf, secondsOf } from './words.ts'

const HEIGHT = 100

/** Least full height of the drawing; lags below that are fine. */
const LEAST_FULL_MS = 2_000

/** Two hours of lag: the median as a line, the slowest 1 % as an area. Minutes without data leave gaps. */
export function lagChart(minutes: readonly Minute[], slots: readonly number[]): Html {
  const known = minutes.flatMap(({ at, lagMedianMs, lagSlowestMs }) =>
    lagMedianMs === null || lagSlowestMs === null
      ? []
      : [{ slot: slotOf(at, slots), at, median: lagMedianMs, slowest: lagSlowestMs }],
  )
  if (minutes.length === 0) return emptyFrame(NOTHING_MEASURED)
  if (known.length === 0) return emptyFrame('No lag was measured in the last two hours.')

  const full = Math.max(LEAST_FULL_MS, ...known.map(({ slowest }) => slowest))
  const y = (ms: number) => Math.round((1 - ms / full) * HEIGHT * 10) / 10
  const runs = stretches(known)
  const line = runs.map((run) => steps(run, ({ median }) => y(median))).join('')
  const area = runs
    .map((run) => `${steps(run, ({ slowest }) => y(slowest))}V${HEIGHT}H${run[0]?.slot ?? 0}z`)
    .join('')

  return html`<div class="lag-plot"><svg class="lag-chart" viewBox="0 0 ${KEPT_MINUTES} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${sentence(known)}">
<path class="grid-line" d="M0 0H${KEPT_MINUTES}M0 ${HEIGHT / 2}H${KEPT_MINUTES}"/>
<path class="slowest" d="${area}"/>
<path class="median" d="${line}"/>
</svg><span class="scale number" aria-hidden="true">${secondsOf(full)}</span><span class="scale half number" aria-hidden="true">${secondsOf(full / 2)}</span></div>
${timeAxis(slots)}
${asTable(
  'lag',
  'Lag by minute, UTC',
  ['Minute', 'Median', 'Slowest 1%'],
  [...known].reverse().map(({ at, median, slowest }) => [clockOf(at), secondsOf(median), secondsOf(slowest)]),
)}`
}

type Point = Readonly<{ slot: number; at: number; median: number; slowest: number }>

/** Points of consecutive minutes. */
function stretches(points: readonly Point[]): Point[][] {
  const runs: Point[][] = []
  for (const point of points) {
    const run = runs.at(-1)
    if (run && point.slot - (run.at(-1)?.slot ?? 0) <= 1) run.push(point)
    else runs.push([point])
  }
  return runs
}

/** A line through the middles of the minutes, flat at the edges of the first and the last. */
function steps(run: readonly Point[], y: (point: Point) => number): string {
  const [first] = run
  const last = run.at(-1)
  if (!first || !last) return ''
  const middles = run.map((point) => `L${point.slot + 0.5} ${y(point)}`).join('')
  return `M${first.slot} ${y(first)}${middles}L${last.slot + 1} ${y(last)}`
}

function sentence(points: readonly Point[]): string {
  const median = [...points].map(({ median }) => median).sort((left, right) => left - right)
  const top = points.reduce((best, point) => (point.slowest > best.slowest ? point : best))
  const middle = median[Math.floor(median.length / 2)] ?? 0
  return `Lag over ${points.length} measured minutes: median ${secondsOf(middle)}; the slowest 1% took at most ${secondsOf(top.slowest)}, at ${clockOf(top.at)}.`
}
