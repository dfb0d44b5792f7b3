import type { UsageDay } from '@pairwire/contract'
import { formatCount, formatDay } from '../../locale/locale.ts'

/** Height of the drawing, its row of diamonds at the top, and the space for the bars on either side of the line. */
const HEIGHT = 142
const DIAMONDS = 14
const SIDE = (HEIGHT - DIAMONDS - 1) / 2
const AXIS = DIAMONDS + SIDE

/** Half a diamond's height on the day with the most new pairs. */
const DIAMOND = 5

/** Thirty days: buys grow up from the line, sells down; new pairs are diamonds above, sized by their number. */
export function DayChart({ days }: { days: readonly UsageDay[] }) {
  const most = Math.max(1, ...days.flatMap(({ buys, sells }) => [buys, sells]))
  const mostPairs = Math.max(1, ...days.map(({ newPairs }) => newPairs))
  const slot = 100 / days.length
  const ticks = [0, 10, 20].flatMap((index) => days[index] ?? [])

  return (
    <>
      <svg className="day-chart" width="100%" height={HEIGHT} role="img" aria-label={chartSentence(days)}>
        {days.map(({ day, buys, sells, newPairs }, index) => {
          const up = barHeight(buys, most)
          const isToday = index === days.length - 1
          return (
            <g key={day} className={isToday ? 'day-today' : undefined}>
              <rect
                className="day-buy"
                x={`${index * slot}%`}
                y={AXIS - up}
                width={`${slot * 0.86}%`}
                height={up}
              />
              <rect
                className="day-sell"
                x={`${index * slot}%`}
                y={AXIS + 1}
                width={`${slot * 0.86}%`}
                height={barHeight(sells, most)}
              />
              {newPairs === 0 ? null : (
                <svg
                  x={`${(index + 0.43) * slot}%`}
                  y={DIAMONDS / 2 - 1}
                  overflow="visible"
                  aria-hidden="true"
                >
                  <path className="day-pair" d={diamond(Math.sqrt(newPairs / mostPairs))} />
                </svg>
              )}
            </g>
          )
        })}
        <line style={{ stroke: 'var(--surface)' }} x1="0" x2="100%" y1={AXIS + 0.5} y2={AXIS + 0.5} />
      </svg>
      <div className="axis usage-axis num" aria-hidden="true">
        {ticks.map(({ day }) => (
          <span key={day}>{dayWords(day)}</span>
        ))}
        <span>today</span>
      </div>
    </>
  )
}

/** A UTC day as people write it. */
export function dayWords(day: string): string {
  return formatDay(new Date(`${day}T00:00:00Z`), undefined, 'UTC')
}

/** The chart as a sentence, made from its numbers. */
export function chartSentence(days: readonly UsageDay[]): string {
  const sum = (noun: string, read: (day: UsageDay) => number) =>
    formatCount(
      days.reduce((all, day) => all + read(day), 0),
      noun,
    )
  const busiest = days.reduce<UsageDay | undefined>(
    (best, day) => (best && best.buys + best.sells >= day.buys + day.sells ? best : day),
    undefined,
  )
  const total = `The last ${formatCount(days.length, 'day')}: ${sum('buy', (day) => day.buys)}, ${sum('sell', (day) => day.sells)} and ${sum('new pair', (day) => day.newPairs)}`
  return busiest && busiest.buys + busiest.sells > 0
    ? `${total}; most on ${dayWords(busiest.day)}.`
    : `${total}.`
}

/** Zero has no bar; the smallest number still has a visible one. */
function barHeight(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(1, (count / most) * SIDE)
}

function diamond(share: number): string {
  const half = Math.max(2, share * DIAMOND)
  return `M0 ${-half}L${half * 0.8} 0 0 ${half}${-half * 0.8} 0z`
}
