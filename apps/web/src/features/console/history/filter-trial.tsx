import { readObject } from '@pairwire/basics/json'
import type { FilterTrial } from '@pairwire/contract/history-trial'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { serverData } from '../../../api/server-data.ts'
import { passFocus } from '../../../components/page.tsx'
import { useStore } from '../../../components/store.ts'
import { formatNumber } from '../../../locale/locale.ts'
import { currentSession } from '../../../session/session.ts'
import { formatWindow, hourWords } from '../../history/history-window.ts'
import { useConsole } from '../console-context.ts'
import { fieldsOf } from '../feed/read-event.ts'
import { subscribedKind } from '../feed/resumed-request.ts'
import { requestText } from '../request/request-text.ts'
import { trialWords } from './trial-words.ts'
import { type TrialBody, tryFilter } from './try-filter.ts'

type FilterTrialProps = {
  /** The request at the press, and the time of that, in Unix milliseconds. */
  tried: Readonly<{ text: string; at: number }>
  onClose: () => void
}

/** Shows what the filter of a request would have matched over the last hours. It sends nothing over the stream. */
export default function FilterTrialPanel({ tried, onClose }: FilterTrialProps) {
  const [hours, setHours] = useState(1)
  const isChanged = useStore(requestText) !== tried.text
  const kind = subscribedKind(tried.text)
  return (
    <section className="small" aria-label="Trial of the filter" ref={show}>
      {kind ? (
        <Found at={tried.at} body={{ kind, params: filterIn(tried.text), hours }} />
      ) : (
        <p role="status">A swapSubscribe or newPairSubscribe can be tried.</p>
      )}
      {isChanged ? <p className="third">The request has changed since.</p> : null}
      <div className="editor-head">
        {kind ? (
          <button type="button" className="text-button" onClick={() => setHours(hours === 1 ? 24 : 1)}>
            {hours === 1 ? 'Over 24 hours' : 'Over 1 hour'}
          </button>
        ) : null}
        <button type="button" className="text-button" ref={passFocus} onClick={onClose}>
          Close trial
        </button>
      </div>
    </section>
  )
}

function Found({ at, body }: { at: number; body: TrialBody }) {
  const { planName } = useConsole()
  // Requested once per press: each counts towards the ten a minute.
  const trial = useQuery(
    {
      queryKey: ['trial', currentSession()?.token, body, at],
      queryFn: () => tryFilter(body),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    },
    serverData,
  )
  const what = body.kind === 'swap' ? 'swaps' : 'new pairs'
  return (
    <>
      <p role="status">
        {trial.data
          ? trialWords(trial.data, what, planName)
          : (trial.error?.message ?? 'Trying the filter over the archive.')}
      </p>
      {trial.data ? <Details trial={trial.data} /> : null}
    </>
  )
}

/** Scrolls a trial that has grown into view, above the fixed bar. */
function show(part: Element | null): void {
  part?.closest('section')?.scrollIntoView({ block: 'nearest' })
}

function Details({ trial }: { trial: FilterTrial }) {
  return (
    <details ref={show} onToggle={({ currentTarget }) => show(currentTarget)}>
      <summary>By hour, and the newest matches</summary>
      <p>{formatWindow(trial)}</p>
      <ul className="num">
        {trial.byHour.map(({ hour, matched, total }) => (
          <li key={hour}>
            {hourWords(hour)}: {formatNumber(matched)} of {formatNumber(total)}
          </li>
        ))}
      </ul>
      {trial.sample.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable without a pointer
        <section className="copy-preview" aria-label="The newest matches" tabIndex={0}>
          <pre className="mono">{trial.sample.map((frame) => JSON.stringify(frame)).join('\n')}</pre>
        </section>
      ) : null}
    </details>
  )
}

/** Returns the filtering params of a subscribe: time and source of events do not matter for a trial. */
function filterIn(text: string): object {
  const { replay, resume_from, commitment, timestamps, facts, ...filter } = fieldsOf(readObject(text)?.params)
  return filter
}
