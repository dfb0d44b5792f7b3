import { useStore } from '../../components/store.ts'
import type { ConsoleFeed } from './console-feed.ts'

/** What the status readout says. */
export type Status = 'Stopped' | 'Connecting' | 'Streaming' | 'Held' | 'Closed'

/** The present status: a list that stands still while the stream runs is `Held`. */
export function useStatus(feed: ConsoleFeed): Status {
  const connection = useStore(feed.connection)
  const { isHeld } = useStore(feed.hold)
  if (connection === 'streaming') return isHeld ? 'Held' : 'Streaming'
  return connection === 'connecting' ? 'Connecting' : connection === 'closed' ? 'Closed' : 'Stopped'
}

/** The shape beside the word: hollow, half and full dot, bars, cross. */
export function StatusShape({ status }: { status: Status }) {
  return (
    <svg className="status-shape" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      <path
        d={SHAPES[status]}
        className={status === 'Stopped' || status === 'Closed' ? 'status-outline' : undefined}
      />
      {status === 'Connecting' ? <circle cx="5" cy="5" r="4" className="status-outline" /> : null}
    </svg>
  )
}

const SHAPES: Readonly<Record<Status, string>> = {
  Stopped: 'M5 1a4 4 0 1 1 0 8 4 4 0 0 1 0-8z',
  Connecting: 'M5 1a4 4 0 0 1 0 8z',
  Streaming: 'M5 1a4 4 0 1 1 0 8 4 4 0 0 1 0-8z',
  Held: 'M1.5 1H4v8H1.5zM6 1h2.5v8H6z',
  Closed: 'm1.5 1.5 7 7M8.5 1.5l-7 7',
}
