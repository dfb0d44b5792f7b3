import type { Connections } from '@pairwire/contract'
import { DAY_MS } from '@pairwire/contract/time-units'
import { duration } from '../../locale/relative-time.ts'

/** The last 24 hours as a band: filled while a client of the key was connected. */
export function ConnectionStrip({ connections }: { connections: Connections }) {
  const { open } = connections
  return (
    <div className="strip">
      <p className="strip-head">
        <span>Connection, last 24 h</span>
        <strong className={open.length > 0 ? 'strip-open' : undefined}>
          {open.length > 0 ? `${open.length} open now` : 'None open'}
        </strong>
      </p>
      <svg className="day-chart" width="100%" height="12" role="img" aria-label={stripSentence(connections)}>
        <rect className="strip-ground" width="100%" height="12" />
        {sharesOf(connections).map(({ at, width }) => (
          <rect key={at} className="strip-span" x={`${at * 100}%`} width={`${width * 100}%`} height="12" />
        ))}
      </svg>
    </div>
  )
}

/** Where the spans are on a band from 24 hours ago (0) to now (1). A short one is drawn wide enough to be seen. */
function sharesOf({ at, spans }: Connections): { at: number; width: number }[] {
  const end = new Date(at).getTime()
  return spans.map(({ from, to }) => {
    const [start, stop] = [from, to].map((time) => {
      const share = 1 - (end - new Date(time).getTime()) / DAY_MS
      return Number.isNaN(share) ? 0 : Math.min(1, Math.max(0, share))
    }) as [number, number] // two in, two out
    return { at: Math.min(start, 0.998), width: Math.max(0.002, stop - start) }
  })
}

/** The strip as a sentence, made from its numbers. */
export function stripSentence({ spans, open }: Connections): string {
  const ms = spans.reduce((sum, { from, to }) => sum + Math.max(0, Date.parse(to) - Date.parse(from)), 0)
  const now = `${open.length} open now`
  if (spans.length === 0) return `Not connected in the last 24 hours; ${now}.`
  const times = spans.length === 1 ? 'at one stretch' : `in ${spans.length} stretches`
  return `Connected for ${duration(ms)} of the last 24 hours ${times}; ${now}.`
}
