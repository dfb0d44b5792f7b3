import { HOUR_MS } from '@pairwire/contract/time-units'
import { type FormEvent, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { formatDate, readLocale } from '../../../locale/locale.ts'
import { useHistory, useOrders } from '../../history/use-history.ts'
import { editRequest } from '../request/edit-request.ts'
import { requestText } from '../request/request-text.ts'
import { playbackRequest } from './playback-request.ts'

const SPEEDS = [1, 2, 5, 10]

/** Hours of one day that the account may replay, newest first, and what gives it the right. */
type Day = Readonly<{ label: string; date: string; starts: readonly string[] }>

/** Chooses an hour and a speed, and writes them into the request; Start sends it. */
export default function PlaybackForm({ onDone }: { onDone: () => void }) {
  const history = useHistory(undefined)
  const orders = useOrders()
  const [chosen, setChosen] = useState(0)
  const [hour, setHour] = useState('')
  const [speed, setSpeed] = useState(1)
  const sample = history.data?.sample
  const days: Day[] = [
    ...(sample ? daysOf('Sample', startOf(sample), 1) : []),
    ...(orders.data ?? [])
      .filter(({ downloadToken }) => downloadToken !== null)
      .flatMap(({ id, to, hours }) => daysOf(`Order ${id}`, Date.parse(to) - HOUR_MS, hours)),
  ]
  const day = days[chosen]
  const start = day?.starts.find((at) => hourOf(at) === hour) ?? day?.starts[0]

  if (history.isPending || orders.isPending) return <p className="small">Reading your hours.</p>
  if (!day || start === undefined) {
    return (
      <p className="small">
        {history.isError || orders.isError ? 'Your hours could not be read.' : 'No hour is archived yet.'}
      </p>
    )
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const replay = { from: start, to: timeText(Date.parse(start) + HOUR_MS), speed }
    editRequest(playbackRequest(requestText.read(), replay))
    onDone()
  }
  return (
    <form className="keep" onSubmit={onSubmit}>
      <label>
        Day
        <select className="input" value={chosen} onChange={({ target }) => setChosen(Number(target.value))}>
          {[...new Set(days.map(({ label }) => label))].map((label) => (
            <optgroup key={label} label={label}>
              {days.map((each, at) =>
                each.label === label ? (
                  <option key={each.date} value={at}>
                    {formatDate(each.date, readLocale(), 'UTC')}
                  </option>
                ) : null,
              )}
            </optgroup>
          ))}
        </select>
      </label>
      <label>
        Hour (UTC)
        <select className="input" value={hourOf(start)} onChange={({ target }) => setHour(target.value)}>
          {day.starts.map((at) => (
            <option key={at}>{hourOf(at)}</option>
          ))}
        </select>
      </label>
      <label>
        Speed
        <select className="input" value={speed} onChange={({ target }) => setSpeed(Number(target.value))}>
          {SPEEDS.map((times) => (
            <option key={times} value={times}>
              {times} x
            </option>
          ))}
        </select>
      </label>
      <Button size="sm" type="submit">
        Write into the request
      </Button>
    </form>
  )
}

/** The days of `hours` hours, the newest of which begins at `newest`, Unix milliseconds. */
function daysOf(label: string, newest: number, hours: number): Day[] {
  const starts = Array.from({ length: hours }, (_, back) => timeText(newest - back * HOUR_MS))
  const dates = [...new Set(starts.map((start) => start.slice(0, 10)))]
  return dates.map((date) => ({ label, date, starts: starts.filter((start) => start.startsWith(date)) }))
}

const hourOf = (start: string) => start.slice(11, 16)

function startOf(name: string): number {
  return Date.parse(`${name.slice(0, 4)}-${name.slice(4, 6)}-${name.slice(6, 8)}T${name.slice(9, 11)}:00:00Z`)
}

function timeText(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z')
}
