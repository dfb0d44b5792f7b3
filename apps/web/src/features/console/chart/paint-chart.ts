import { BUCKETS, SERIES } from '../feed/chart-buckets.ts'

/** The colours of the chart, as CSS colours. */
export type ChartColours = Readonly<{
  buy: string
  sell: string
  pair: string
  axis: string
  /** Whether bars of sells are ticked, like the edges of their rows. */
  isTicked?: boolean
}>

/** The input of {@link paintChart}. Lengths in CSS pixels. */
type ChartPicture = Readonly<{
  width: number
  height: number
  buckets: Uint32Array
  /** Number of events for a full bar. */
  full: number
  /** Bucket under the pointer. */
  marked: number | undefined
  colours: ChartColours
}>

/**
 * Draws the mirrored chart: buys up from the centre line, sells down from it on the same scale, new pairs as diamonds
 * along the top. Narrow charts join neighbouring buckets, so that a bar is never thinner than its gap.
 */
export function paintChart(context: CanvasRenderingContext2D, picture: ChartPicture): void {
  const { width, height, buckets, full, marked, colours } = picture
  const joined = Math.max(1, Math.ceil((BUCKETS * THINNEST) / width))
  const bars = Math.floor(BUCKETS / joined)
  const step = width / bars
  const centre = Math.round(DIAMONDS + (height - DIAMONDS) / 2)
  const reach = centre - DIAMONDS

  context.clearRect(0, 0, width, height)
  context.fillStyle = colours.axis
  context.fillRect(0, centre, width, 1)
  let lastDiamond = Number.NEGATIVE_INFINITY
  for (let bar = 0; bar < bars; bar++) {
    const [buys, sells, pairs] = sums(buckets, bar * joined, joined)
    const left = bar * step
    const thickness = Math.max(1, step - 1)
    if (marked !== undefined && Math.floor(marked / joined) === bar) {
      context.globalAlpha = 0.25
      context.fillStyle = colours.axis
      context.fillRect(left, DIAMONDS, thickness, height - DIAMONDS)
      context.globalAlpha = 1
    }
    const scale = reach / (full * joined)
    if (buys > 0) {
      const tall = Math.min(reach, Math.max(1, buys * scale))
      context.fillStyle = colours.buy
      context.fillRect(left, centre - tall, thickness, tall)
    }
    if (sells > 0) {
      const tall = Math.min(reach, Math.max(1, sells * scale))
      context.fillStyle = colours.sell
      if (colours.isTicked) {
        for (let down = 0; down < tall; down += TICK * 1.5)
          context.fillRect(left, centre + 1 + down, thickness, Math.min(TICK, tall - down))
      } else context.fillRect(left, centre + 1, thickness, tall)
    }
    if (pairs > 0 && left - lastDiamond >= DIAMOND_GAP) {
      lastDiamond = left
      diamond(context, left + thickness / 2, colours.pair)
    }
  }
}

/** Returns the largest number of buys or sells in one bucket. */
export function tallest(buckets: Uint32Array): number {
  let most = 0
  for (let at = 0; at < buckets.length; at += SERIES) most = Math.max(most, buckets[at]!, buckets[at + 1]!)
  return most
}

/** Returns the bucket at a distance from the chart's left edge, both in the same unit. */
export function bucketAt(left: number, width: number): number {
  return Math.min(BUCKETS - 1, Math.max(0, Math.floor((left / width) * BUCKETS)))
}

/** Minimum CSS pixels of a bar with its gap. */
const THINNEST = 3.5
/** CSS pixels of a tick; the gap after it is half as high. */
const TICK = 2
/** CSS pixels reserved for the diamonds. */
const DIAMONDS = 9
/** CSS pixels between two diamonds; closer ones are merged. */
const DIAMOND_GAP = 9

function sums(buckets: Uint32Array, first: number, count: number): [number, number, number] {
  const total: [number, number, number] = [0, 0, 0]
  for (let bucket = first; bucket < first + count; bucket++) {
    for (const series of [0, 1, 2] as const) total[series] += buckets[bucket * SERIES + series]!
  }
  return total
}

function diamond(context: CanvasRenderingContext2D, centre: number, colour: string) {
  context.fillStyle = colour
  context.beginPath()
  context.moveTo(centre, 0.5)
  context.lineTo(centre + 3.5, 4)
  context.lineTo(centre, 7.5)
  context.lineTo(centre - 3.5, 4)
  context.fill()
}
