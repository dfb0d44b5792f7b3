import type { HistoryAnswer } from '@pairwire/contract/history-answers'
import { type PointerEvent, useState } from 'react'
import { formatCount } from '../../locale/locale.ts'
import { hourWords } from './history-window.ts'

/** Columns of days and rows of hours: the last 30 days. */
const DAYS = 30
const HOURS = 24

/** Side of a square and the distance between two, in the picture's units. */
const SIDE = 6
const PITCH = 8

type Hours = HistoryAnswer['hours']

/** The look of a square: outside the offer, missing, or one of four strengths. */
type Look = 'empty' | 'missing' | 1 | 2 | 3 | 4

/** Draws `hours` of the last 720, newest at the bottom right and busier ones stronger; describes the one under the pointer. */
export function HourField({ hours, known = [] }: { hours: number; known: Hours | undefined }) {
  const [fact, setFact] = useState<Hours[number]>()
  const first = DAYS * HOURS - hours
  const busiest = Math.max(1, ...known.map((hour) => hour.swaps))
  const places = [...Array(DAYS * HOURS).keys()]
  const looks = places.map((place) => (place < first ? 'empty' : lookOf(known[place], busiest)))
  const dotted = places.filter((place) => place >= first && known[place]?.state === 'incomplete')
  const describe = ({ currentTarget, clientX, clientY }: PointerEvent<SVGElement>) => {
    const { left, top, width } = currentTarget.getBoundingClientRect()
    const [day, hour] = [clientX - left, clientY - top].map((at) => Math.floor((at / width) * DAYS))
    const place = day! * HOURS + hour!
    setFact(place < first ? undefined : known[place])
  }
  return (
    <svg
      className="hour-field"
      viewBox={`0 0 ${DAYS * PITCH} ${HOURS * PITCH}`}
      role="img"
      aria-label={`${hours} of the last ${DAYS * HOURS} hours`}
      onPointerMove={describe}
    >
      <title>{fact && hourFacts(fact)}</title>
      {[...new Set(looks)].map((look) => (
        <path
          key={look}
          className={look === 'empty' ? 'hour-field-empty' : 'hour-field-filled'}
          data-look={look}
          d={drawHours(places.filter((place) => looks[place] === look))}
        />
      ))}
      <path className="hour-field-dots" d={drawHours(dotted, 3, 2)} />
      {hours === 1 ? <circle className="hour-field-ring" cx={236} cy={188} r={10} /> : null}
    </svg>
  )
}

/** Describes an hour and its counts. */
export function hourFacts({ hour, state, swaps, pairs }: Hours[number]): string {
  const name = `${hourWords(hour)} UTC`
  if (state === 'missing') return `${name}: missing`
  if (state === 'pending') return `${name}: not written yet`
  const counts = `${name}: ${formatCount(swaps, 'swap')}, ${formatCount(pairs, 'new pair')}`
  return state === 'incomplete' ? `${counts}, incomplete` : counts
}

/** Returns one of four strengths by the swaps relative to the busiest hour's; the strongest while unknown. */
export function lookOf(hour: Hours[number] | undefined, busiest: number): Look {
  if (!hour) return 4
  if (hour.state === 'missing' || hour.state === 'pending') return 'missing'
  return Math.max(1, Math.ceil((hour.swaps / busiest) * 4)) as Look // 1 to 4
}

/** Draws a square at each position, counted from the oldest hour, a day per column; `inset` and `side` in the picture's units. */
export function drawHours(places: readonly number[], inset = 1, side = SIDE): string {
  return places
    .map((place) => {
      const x = inset + Math.floor(place / HOURS) * PITCH
      const y = inset + (place % HOURS) * PITCH
      return `M${x} ${y}h${side}v${side}h-${side}z`
    })
    .join('')
}
