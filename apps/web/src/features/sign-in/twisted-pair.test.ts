import { describe, expect, it } from 'vitest'
import { drawTwistedPair } from './twisted-pair.ts'

const pair = { from: 0, to: 400, centre: 100, swing: 50, reach: 100, width: 20 }

describe('the twisted pair', () => {
  it('passes each strand under the other in turn', () => {
    const [teal, copper] = drawTwistedPair(pair).map(pieces)

    // Crossings at 50, 150, 250 and 350.
    expect(teal).toEqual([
      [0, 136],
      [164, 336],
      [364, 400],
    ])
    expect(copper).toEqual([
      [0, 36],
      [64, 236],
      [264, 400],
    ])
  })

  it('begins one strand at the top and the other at the bottom', () => {
    const [teal, copper] = drawTwistedPair(pair)

    expect(teal).toMatch(/^M0 50\.0/)
    expect(copper).toMatch(/^M0 150\.0/)
  })
})

/** Where each unbroken piece of a strand begins and ends. */
function pieces(path: string): [number, number][] {
  return path
    .split('M')
    .filter(Boolean)
    .map((piece) => {
      const xs = piece.split('L').map((point) => Number(point.split(' ')[0]))
      return [xs[0]!, xs.at(-1)!]
    })
}
