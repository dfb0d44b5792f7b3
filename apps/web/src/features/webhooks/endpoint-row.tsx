import type { Webhook } from '@pairwire/contract'
import { type ReactNode, useRef, useState } from 'react'
import { useCall } from '../../api/use-call.ts'
import { webhookApi } from '../../api/webhook-api.ts'
import { announce } from '../../components/announce.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FieldError } from '../../components/field.tsx'
import type { IconName } from '../../components/icon.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { draftOf, writeDraft } from './draft.ts'
import { COLUMN, LINE, WIDE } from './layout.ts'
import { adviceWords, endpointWords, STATE_BADGES } from './webhook-words.ts'

/** What a press does to an endpoint; one with a `warning` is asked about first. */
type Act = Readonly<{
  label: string
  icon: IconName
  call: (id: string) => Promise<unknown>
  done: string
  warning?: string
}>

const ACTS = {
  pause: { label: 'Pause', icon: 'pause', call: webhookApi.pause, done: 'Paused. It keeps its place.' },
  resume: { label: 'Resume', icon: 'play', call: webhookApi.resume, done: 'It goes on from its place.' },
  rotate: {
    label: 'New secret',
    icon: 'key',
    call: webhookApi.rotate,
    done: 'For 24 hours both secrets sign.',
  },
  oldest: {
    label: 'Replay all that is kept',
    icon: 'reset',
    call: (id) => webhookApi.seek(id, 'oldest'),
    done: 'It goes on from the oldest event that is kept.',
    warning: 'Sends every kept event that matches again. They count like new ones.',
  },
  now: {
    label: 'Skip to now',
    icon: 'arrow',
    call: (id) => webhookApi.seek(id, 'now'),
    done: 'It goes on with the next event.',
    warning: 'What it has not taken yet is not sent.',
  },
  delete: {
    label: 'Delete',
    icon: 'trash',
    call: webhookApi.delete,
    done: 'Endpoint deleted.',
    warning: 'Deletes the endpoint with its dead letters. This cannot be undone.',
  },
} as const satisfies Record<string, Act>

type EndpointRowProps = {
  endpoint: Webhook
  now: number
  /** Whether it is beyond the plan's number, and waits. */
  waits: boolean
  /** The form, while it is open. */
  form: ReactNode
  /** Reads the list again. */
  reload: () => Promise<unknown>
  onSecret: (secret: string) => void
}

/** An endpoint: how it does, a test, and on demand everything that can be done with it. */
export function EndpointRow({ endpoint, now, waits, form, reload, onSecret }: EndpointRowProps) {
  const { id, url, kind, state, lastAttempt } = endpoint
  const row = useRef<HTMLLIElement>(null)
  const [isOpen, setIsOpen] = useState(form !== undefined)
  const [asking, setAsking] = useState<Act>()
  const [said, setSaid] = useState('')
  const say = (words: string) => {
    announce(words, 'status')
    setSaid(words)
  }
  const test = useCall(async () => {
    setSaid('')
    const { status, ms, body } = await webhookApi.test(id)
    say(`${status ?? 'No answer'} after ${ms} ms${body ? `: ${body}` : '.'}`)
    // Its receiver is back: what waits need not wait for the next try.
    if (state === 'failing' && status && status < 300) await webhookApi.resume(id).then(reload)
  })
  const { run, busy, failure } = useCall(async (act: Act) => {
    const answer = await act.call(id)
    if (act === ACTS.rotate) onSecret((answer as Awaited<ReturnType<typeof webhookApi.rotate>>).secret)
    say(act.done)
    setAsking(undefined)
    const panel = row.current?.closest('section')
    await reload()
    if (act === ACTS.delete) panel?.focus()
  })
  const press = (act: Act) => (act.warning ? setAsking(act) : run(act))
  const look = waits ? 'waits' : state
  const badge = look === 'on' ? undefined : STATE_BADGES[look]
  const error = failure?.error ?? test.failure?.error
  const advice = waits ? undefined : adviceWords(endpoint, now)
  const first = state === 'paused' || state === 'stopped' ? ACTS.resume : ACTS.pause
  const acts: Act[] = [first, ACTS.rotate, ACTS.oldest, ACTS.now, ACTS.delete]
  return (
    <li ref={row} className={look === 'on' ? 'connection connection-open' : 'connection'} style={ROW}>
      <div className="connection-peer" style={{ flex: '1 1 15rem' }}>
        <span className="connection-client">{url}</span>
        <span className="third" style={LINE}>
          {kind === 'swap' ? 'Swaps' : 'New pairs'}
          {badge ? <Badge {...badge} /> : null}
        </span>
      </div>
      <p className="connection-facts num" style={{ flex: '2 1 18rem' }}>
        {endpointWords(endpoint, now)}
      </p>
      <div style={LINE}>
        <Button
          size="sm"
          icon="send"
          busy={test.busy !== undefined}
          aria-label={`Test ${url}`}
          onClick={() => test.run()}
        >
          Test
        </Button>
        <Button
          size="sm"
          aria-expanded={isOpen}
          aria-label={`Manage ${url}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          Manage
        </Button>
      </div>
      {lastAttempt?.error && state !== 'on' ? <p style={WIDE}>Last try: {lastAttempt.error}</p> : null}
      {[advice, said].filter(Boolean).map((words) => (
        <p key={words} className="second" style={WIDE}>
          {words}
        </p>
      ))}
      <div role="alert" style={WIDE} hidden={!error}>
        {error && !asking ? <FieldError>{error.message}</FieldError> : null}
      </div>
      {isOpen ? (
        <div style={COLUMN}>
          {form ?? (
            <div style={LINE}>
              <Button size="sm" onClick={() => writeDraft(id, draftOf(endpoint))}>
                Change
              </Button>
              {acts.map((act) => (
                <Button
                  // A paused one's button is the same one, so that it keeps the focus.
                  key={act === ACTS.resume ? ACTS.pause.label : act.label}
                  size="sm"
                  icon={act.icon}
                  variant={act === ACTS.delete ? 'danger' : 'default'}
                  busy={busy?.[0] === act}
                  onClick={() => press(act)}
                >
                  {act.label}
                </Button>
              ))}
            </div>
          )}
          <DeadLetters id={id} now={now} />
        </div>
      ) : null}
      {asking ? (
        <Dialog
          title={asking.label}
          body={`${asking.warning} ${url}`}
          confirmLabel={asking.label}
          firstFocus="cancel"
          confirmVariant={asking === ACTS.delete ? 'danger' : 'primary'}
          busy={busy !== undefined}
          error={failure?.error.message}
          onConfirm={() => run(asking)}
          onCancel={() => setAsking(undefined)}
        />
      ) : null}
    </li>
  )
}

/** On a phone its parts stand below each other. */
const ROW = { ...LINE, gap: '6px 20px' }
