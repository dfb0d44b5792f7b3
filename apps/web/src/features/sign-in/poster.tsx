import { EventGlyph } from '../../components/icon.tsx'
import { drawTwistedPair, type Pair } from './twisted-pair.ts'
import './poster.css'

const PAIRS: readonly Pair[] = [
  { from: -80, to: 840, centre: 150, swing: 62, reach: 125, width: 30 },
  { from: -80, to: 840, centre: 410, swing: 96, reach: 190, width: 44 },
  { from: -80, to: 840, centre: 730, swing: 84, reach: 165, width: 38 },
]

const BAND: Pair = { from: -40, to: 1000, centre: 36, swing: 26, reach: 60, width: 13 }

/** The picture beside the form: three twisted pairs, and three events as decoration. */
export function Poster() {
  return (
    <aside className="poster" aria-hidden="true">
      <svg viewBox="0 0 760 900" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false">
        {PAIRS.map((pair) => (
          <Strands key={pair.centre} pair={pair} />
        ))}
      </svg>
      <div className="poster-event aligned poster-event-buy">
        <EventGlyph name="buy" />
        <b>Buy HARB</b>
        <span className="poster-figure">$1,204.18</span>
      </div>
      <div className="poster-event aligned poster-event-sell">
        <EventGlyph name="sell" />
        <b>Sell KELP</b>
        <span className="poster-figure">$86.02</span>
      </div>
      <div className="poster-event aligned poster-event-pair">
        <EventGlyph name="pair" />
        <b>New pair MOTH/SOL</b>
        <span className="poster-figure">now</span>
      </div>
    </aside>
  )
}

/** The phone's picture: one pair in a band under the wire. */
export function PosterBand() {
  return (
    <div className="poster-band" aria-hidden="true">
      <svg viewBox="0 0 390 72" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false">
        <Strands pair={BAND} />
      </svg>
    </div>
  )
}

function Strands({ pair }: { pair: Pair }) {
  const [teal, copper] = drawTwistedPair(pair)
  return (
    <g fill="none" strokeWidth={pair.width}>
      <path className="strand-teal" d={teal} />
      <path className="strand-copper" d={copper} />
    </g>
  )
}
