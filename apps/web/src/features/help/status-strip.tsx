import { useEffect, useState } from 'react'
import { api } from '../../api/api.ts'
import { LinkButton } from '../../components/button.tsx'
import { FiguresRegion, FiguresTable } from '../../components/figures-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { Panel } from '../../components/panel.tsx'
import { formatDay } from '../../locale/locale.ts'
import { serverClock } from '../../session/server-clock.ts'
import {
  readServiceStatus,
  type ServiceStatus,
  type StreamState,
  type StripDay,
  stripSentence,
} from './service-status.ts'
import './status-strip.css'

const WORDS: Readonly<Record<StreamState, string>> = {
  well: 'Streams normal',
  late: 'Streams delayed',
  down: 'Streams down',
}

/**
 * The state of the streams now and for 90 days, with a link to the status page. Its space is reserved while it loads;
 * without a status it is empty.
 */
export function StatusStrip({ statusUrl }: { statusUrl: string }) {
  const [status, setStatus] = useState<ServiceStatus | 'asked' | undefined>('asked')
  useEffect(() => {
    const asking = new AbortController()
    api.status(asking.signal).then(
      (answer) => setStatus(readServiceStatus(answer, Date.now() + serverClock.offset())),
      () => asking.signal.aborted || setStatus(undefined),
    )
    return () => asking.abort()
  }, [])

  if (status === undefined) return null
  if (status === 'asked') return <div className="panel status-strip" aria-hidden="true" />
  return (
    <Panel className="status-strip" aria-label="System status">
      <div className="strip-state">
        <p className={`strip-word strip-${status.state}`}>
          {status.state === 'well' ? (
            <span className="strip-dot" aria-hidden="true" />
          ) : (
            <Icon name="warning" />
          )}
          {WORDS[status.state]}
        </p>
        <p className="second small">
          {status.medianLagMs === undefined
            ? 'Lag not known'
            : `Median lag ${(status.medianLagMs / 1_000).toFixed(1)} s`}
        </p>
      </div>
      <Strip days={status.days} />
      <LinkButton href={statusUrl} external>
        Status page
      </LinkButton>
      <DayList days={status.days} />
    </Panel>
  )
}

/** Units of the drawing. Height indicates trouble as well as colour. */
const HEIGHTS: Readonly<Record<StripDay['state'], number>> = { well: 42, late: 27, down: 16, none: 3 }
const FULL = 42

function Strip({ days }: { days: readonly StripDay[] }) {
  return (
    <svg
      className="strip-days"
      viewBox={`0 0 ${days.length * 10} ${FULL}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={stripSentence(days)}
    >
      {days.map(({ day, state }, place) => (
        <rect
          key={day}
          className={`day-${state}`}
          x={place * 10 + 1}
          y={FULL - HEIGHTS[state]}
          width={8}
          height={HEIGHTS[state]}
        />
      ))}
    </svg>
  )
}

function DayList({ days }: { days: readonly StripDay[] }) {
  const measured = days.filter(({ state }) => state !== 'none').reverse()
  if (measured.length === 0) return null
  return (
    <details className="strip-table small">
      <summary className="table-switch">Show as table</summary>
      <FiguresRegion label="The last 90 days">
        <FiguresTable
          columns={['Day (UTC)', 'Delayed', 'Down']}
          rows={measured.map(({ day, lateSeconds, downSeconds }) => [
            formatDay(new Date(day), undefined, 'UTC'),
            lengthOf(lateSeconds),
            lengthOf(downSeconds),
          ])}
        />
      </FiguresRegion>
    </details>
  )
}

/** Formats seconds in words, `12 min`. */
function lengthOf(seconds: number): string {
  if (seconds === 0) return 'none'
  return seconds < 60 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 60)} min`
}
