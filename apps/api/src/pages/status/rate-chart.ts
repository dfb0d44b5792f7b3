import { KEPT_MINUTES } from '../../status/status-history.ts'
import type { Minute } from '../../status/status-record.ts'
import { type Html, html } from '../html.ts'
import { asTable, emptyFrame, NOTHING_MEASURED } from './table.ts'
import { clockOf, grouped } from './words.ts'

/** Minutes that one diamond stands for. */
const DIAMOND_MINUTES = 5

/** Height on each side of the line. */
const SIDE = 50

/** Two hours of events per second: buys above the line, sells below, new pairs as diamonds sized by their number. */
export function rateChart(minutes: readonly Minute[], slots: readonly number[]): Html {
  if (minutes.length === 0) return emptyFrame(NOTHING_MEASURED)

  const rates = minutes.map(({ at, seconds, newPairs, buys, sells }) => ({
    slot: slotOf(at, slots),
    at,
    newPairs,
    buys: buys / seconds,
    sells: sells / seconds,
  }))
  const most = Math.max(...rates.flatMap(({ buys, sells }) => [buys, sells]), 0.001)
  const bars = (read: (rate: (typeof rates)[number]) => number, from: (height: number) => number) =>
    rates
      .map((rate) => ({ slot: rate.slot, height: round((read(rate) / most) * SIDE) }))
      .filter(({ height }) => height > 0)
      .map(({ slot, height }) => `M${slot + 0.1} ${from(height)}h.8v${height}h-.8z`)
      .join('')

  return html`${diamonds(rates)}
<svg class="rate-chart" viewBox="0 0 ${KEPT_MINUTES} ${SIDE * 2 + 1}" preserveAspectRatio="none" role="img" aria-label="${sentence(rates)}">
<path class="buy" d="${bars(
    ({ buys }) => buys,
    (height) => round(SIDE - height),
  )}"/>
<path class="sell" d="${bars(
    ({ sells }) => sells,
    () => SIDE + 1,
  )}"/>
</svg>
${timeAxis(slots)}
${asTable(
  'rate',
  'Events per second by minute, UTC',
  ['Minute', 'Buys', 'Sells', 'New pairs'],
  [...rates]
    .reverse()
    .map(({ at, buys, sells, newPairs }) => [clockOf(at), buys.toFixed(1), sells.toFixed(1), newPairs]),
)}`
}

/** The position of a minute in a chart, which ends with the newest. */
export function slotOf(at: number, slots: readonly number[]): number {
  return Math.round((at - (slots[0] ?? at)) / 60_000)
}

/** Four times below a chart of two hours. */
export function timeAxis(slots: readonly number[]): Html {
  const times = [0, 30, 60, 90].flatMap((slot) => slots[slot] ?? [])
  return html`<p class="axis number" aria-hidden="true">${times.map((at) => html`<span>${clockOf(at)}</span>`)}<span>now</span></p>`
}

function diamonds(rates: readonly { slot: number; newPairs: number }[]): Html {
  const sums = new Map<number, number>()
  for (const { slot, newPairs } of rates) {
    const place = Math.floor(slot / DIAMOND_MINUTES)
    sums.set(place, (sums.get(place) ?? 0) + newPairs)
  }
  const most = Math.max(1, ...sums.values())
  const marks = [...sums].filter(([, count]) => count > 0)
  return html`<svg class="pair-marks" width="100%" height="14" aria-hidden="true">${marks.map(
    ([place, count]) => {
      const half = round(2 + 3 * Math.sqrt(count / most))
      const middle = ((place + 0.5) * DIAMOND_MINUTES * 100) / KEPT_MINUTES
      return html`<svg x="${round(middle)}%" y="7" overflow="visible"><path d="M0 ${-half}L${round(half * 0.8)} 0 0 ${half}${round(-half * 0.8)} 0z"/></svg>`
    },
  )}</svg>`
}

function sentence(rates: readonly { at: number; buys: number; sells: number; newPairs: number }[]): string {
  const mean = (read: (rate: (typeof rates)[number]) => number) =>
    grouped(rates.reduce((sum, rate) => sum + read(rate), 0) / rates.length)
  const pairs = grouped(rates.reduce((sum, { newPairs }) => sum + newPairs, 0))
  const top = rates.reduce((best, rate) => (rate.buys + rate.sells > best.buys + best.sells ? rate : best))
  return `Events per second over ${rates.length} measured minutes: ${mean(({ buys }) => buys)} buys and ${mean(({ sells }) => sells)} sells on average, ${grouped(top.buys + top.sells)} at most at ${clockOf(top.at)}; ${pairs} new pairs.`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
