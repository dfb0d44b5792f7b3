import { useStore } from '../../components/store.ts'
import type { ConsoleFeed } from './console-feed.ts'
import { useStreamState } from './status-word.tsx'

/** What {@link StatusReason} needs. */
export type StatusReasonProps = {
  feed: ConsoleFeed
  /** What the service says of itself, the banner's words first. */
  notices: readonly string[]
  /** Whether one of them is that the source is away. */
  isSourceAway: boolean
  statusUrl: string
}

/** Why nothing flows and what there is to do, else what the service says beside the banner. */
export function StatusReason({ feed, notices, isSourceAway, statusUrl }: StatusReasonProps) {
  const state = useStreamState(feed)
  const closing = useStore(feed.closing)
  const resumable = useStore(feed.resumable)
  const kinds = [...new Set(resumable)].map((kind) => (kind === 'swap' ? 'swaps' : 'new pairs')).join(' and ')
  const [first = '', ...others] = notices
  const words =
    state === 'Stalled'
      ? isSourceAway
        ? 'The service has lost its source of data. Nothing to do here.'
        : 'No blocks arrive on this connection. Restart opens a new one and resumes.'
      : state === 'Closed' && kinds !== ''
        ? `${closing || 'The connection was lost.'} Resume continues your ${kinds} where they stopped.`
        : others.find((notice) => !first.includes(notice))
  return words === undefined ? null : (
    <p className="status-reason">
      {words}{' '}
      {state === 'Closed' ? null : (
        <a className="strong-link" href={statusUrl} target="_blank" rel="noopener">
          System Status
        </a>
      )}
    </p>
  )
}
