/** One pair across a picture, in the picture's units. */
export type Pair = Readonly<{
  from: number
  to: number
  /** Height of the line around which both strands swing. */
  centre: number
  /** How far they swing from it. */
  swing: number
  /** Distance between a strand's top and its bottom. */
  reach: number
  /** Width of the strands. */
  width: number
}>

/** Distance between two points of a strand. */
const STEP = 4

/** Half of the gap where a strand passes under the other, in widths of the strand. */
const GAP = 0.69

/** SVG path data of the two strands, which cross every `reach` and pass under each other in turn. */
export function drawTwistedPair(pair: Pair): readonly [teal: string, copper: string] {
  return [drawStrand(pair, -1, 1), drawStrand(pair, 1, 0)]
}

/**
 * @param side -1 for the strand that begins at the top.
 * @param under whether it passes under at the even (0) or at the odd (1) crossings.
 */
function drawStrand({ from, to, centre, swing, reach, width }: Pair, side: -1 | 1, under: 0 | 1): string {
  let path = ''
  let drawing = false
  for (let x = from; x <= to; x += STEP) {
    const crossing = Math.round((x - from) / reach - 0.5)
    const distance = Math.abs(x - from - (crossing + 0.5) * reach)
    if (Math.abs(crossing % 2) === under && distance < GAP * width) {
      drawing = false
      continue
    }
    const y = centre + side * swing * Math.cos((Math.PI * (x - from)) / reach)
    path += `${drawing ? 'L' : 'M'}${x} ${y.toFixed(1)}`
    drawing = true
  }
  return path
}
