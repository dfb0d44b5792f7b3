import type { UsageDay } from '@pairwire/contract'
import { formatNumber } from '../../locale/locale.ts'
import { shortCount } from './short-count.ts'

/** The ways in which events are sent, in the order in which bars are stacked. */
const FACES = [
  {
    name: 'Websocket',
    color: 'var(--text-3)',
    read: ({ newPairs, buys, sells, http = 0, webhooks = 0 }: UsageDay) =>
      newPairs + buys + sells - http - webhooks,
  },
  { name: 'HTTP', color: 'var(--info)', read: ({ http = 0 }: UsageDay) => http },
  { name: 'Webhooks', color: 'var(--warning)', read: ({ webhooks = 0 }: UsageDay) => webhooks },
]

const HEIGHT = 28

/** Which ways were used, with their sums; empty while all events were sent in one. */
export function facesOf(days: readonly UsageDay[]) {
  const faces = FACES.map((face) => ({ ...face, sum: days.reduce((sum, day) => sum + face.read(day), 0) }))
  const used = faces.filter(({ sum }) => sum > 0)
  return used.length > 1 ? used : []
}

/** How the events of each day were sent, as stacked bars, with their sums; nothing while all were sent in one way. */
export function DayFaces({ days }: { days: readonly UsageDay[] }) {
  const faces = facesOf(days)
  if (faces.length === 0) return null
  const most = Math.max(...days.map((day) => faces.reduce((sum, { read }) => sum + read(day), 0)))
  const slot = 100 / days.length
  const sums = faces.map(({ name, sum }) => `${name} ${formatNumber(sum)}`).join(', ')

  return (
    <div>
      <p className="strip-head" style={{ flexWrap: 'wrap', gap: '0 12px', marginTop: 10 }}>
        {faces.map(({ name, color, sum }) => (
          <span key={name} style={{ color, whiteSpace: 'nowrap' }}>
            {name} <strong className="num">{shortCount(sum)}</strong>
          </span>
        ))}
      </p>
      <svg
        className="day-chart"
        fill="currentColor"
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={`Events of the last ${days.length} days by how they were sent: ${sums}.`}
      >
        {days.flatMap((day, index) => {
          let top = HEIGHT
          return faces.map(({ name, color, read }) => {
            const count = read(day)
            const height = count === 0 ? 0 : Math.max(1.5, (count / most) * HEIGHT)
            top -= height
            return (
              <rect
                key={`${day.day} ${name}`}
                className={`day-${name.toLowerCase()}`}
                style={{ color }}
                x={`${index * slot}%`}
                y={top}
                width={`${slot * 0.86}%`}
                height={height}
              />
            )
          })
        })}
      </svg>
    </div>
  )
}
