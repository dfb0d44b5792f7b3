import { useConsole } from '../console-context.ts'
import { useFeed } from '../feed/feed.ts'
import { useStreamState } from './status-word.tsx'

/** What a press has changed; why nothing flows and what to do; the service's notices besides the banner. */
export function StatusReason() {
  const { notices, isSourceAway, statusUrl } = useConsole()
  const state = useStreamState()
  const closing = useFeed('closing')
  const resumable = useFeed('resumable')
  const kinds = [...new Set(resumable)].map((kind) => (kind === 'swap' ? 'swaps' : 'new pairs')).join(' and ')
  const [first = '', ...others] = notices
  const changed = useFeed('changed')
  const words =
    state === 'Stalled'
      ? isSourceAway
        ? 'The service has lost its source of data. Nothing to do here.'
        : 'No blocks arrive on this connection. Restart opens a new one and resumes.'
      : state === 'Closed' && kinds !== ''
        ? `${closing || 'The connection was lost.'} Resume continues your ${kinds} where they stopped.`
        : (changed?.words ?? others.find((notice) => !first.includes(notice)))
  return words === undefined ? null : (
    <p className="status-reason">
      {words}{' '}
      {changed?.words === words ? (
        <button type="button" className="text-button" onClick={changed.undo}>
          Undo
        </button>
      ) : state === 'Closed' ? null : (
        <a className="strong-link" href={statusUrl} target="_blank" rel="noopener">
          System Status
        </a>
      )}
    </p>
  )
}
