import { type FormEvent, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { hourWords } from '../../history/history-window.ts'
import { useHistory, useOrders } from '../../history/use-history.ts'
import { editRequest } from '../request/edit-request.ts'
import { requestText } from '../request/request-text.ts'
import { playbackRequest } from './playback-request.ts'

const SPEEDS = [1, 2, 5, 10]

/** Hours that the account may play again, newest first, under what gives the right to them. */
type Hours = Readonly<{ label: string; starts: readonly number[] }>

/** Chooses an hour and a speed, and writes them into the request; Start sends it. */
export default function PlaybackForm({ onDone }: { onDone: () => void }) {
  const history = useHistory(undefined)
  const orders = useOrders()
  const [chosen, setChosen] = useState<number>()
  const [speed, setSpeed] = useState(1)
  const sample = history.data?.sample
  const offered: Hours[] = [
    ...(sample ? [{ label: 'Sample', starts: [startOf(sample)] }] : []),
    ...(orders.data ?? [])
      .filter(({ downloadToken }) => downloadToken !== null)
      .map(({ id, from, to }) => ({ label: `Order ${id}`, starts: hoursBetween(from, to) })),
  ]
  const start = chosen ?? offered[0]?.starts[0]

  if (history.isPending || orders.isPending) return <p className="small">Reading your hours.</p>
  if (start === undefined) {
    return (
      <p className="small">
        {history.isError || orders.isError ? 'Your hours could not be read.' : 'No hour is archived yet.'}
      </p>
    )
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const replay = { from: timeText(start), to: timeText(start + HOUR_MS), speed }
    editRequest(playbackRequest(requestText.read(), replay))
    onDone()
  }
  return (
    <form className="keep" onSubmit={onSubmit}>
      <label>
        Hour (UTC)
        <select className="input" value={start} onChange={({ target }) => setChosen(Number(target.value))}>
          {offered.map(({ label, starts }) => (
            <optgroup key={label} label={label}>
              {starts.map((at) => (
                <option key={at} value={at}>
                  {hourWords(nameOf(at))}
                </option>
              ))}
            </optgroup>
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

const HOUR_MS = 3_600_000

function hoursBetween(from: string, to: string): number[] {
  const [first, end] = [Date.parse(from), Date.parse(to)]
  return Array.from({ length: Math.round((end - first) / HOUR_MS) }, (_, back) => end - (back + 1) * HOUR_MS)
}

function startOf(name: string): number {
  return Date.parse(`${name.slice(0, 4)}-${name.slice(4, 6)}-${name.slice(6, 8)}T${name.slice(9, 11)}:00:00Z`)
}

function nameOf(at: number): string {
  const time = timeText(at)
  return `${time.slice(0, 10).replaceAll('-', '')}-${time.slice(11, 13)}0000`
}

function timeText(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z')
}
