import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { serverData } from '../../api/server-data.ts'
import { useCall } from '../../api/use-call.ts'
import { READ_EVERY_MS, webhookApi } from '../../api/webhook-api.ts'
import { Button } from '../../components/button.tsx'
import { ActionError } from '../../components/field.tsx'
import { formatCount } from '../../locale/locale.ts'
import { relativeTime } from '../../locale/relative-time.ts'
import { COLUMN, LINE } from './layout.ts'

/** Messages that an endpoint refused for good, to send again or delete. */
export function DeadLetters({ id, now }: { id: string; now: number }) {
  const queryFn = () => webhookApi.deadLetters(id)
  const { data, error, refetch } = useQuery(
    { queryKey: ['webhooks', 'deadLetters', id], queryFn, gcTime: 0, refetchInterval: READ_EVERY_MS },
    serverData,
  )
  const box = useRef<HTMLDivElement>(null)
  const { run, busy, failure } = useCall(async (call: 'sendDeadLetter' | 'deleteDeadLetter', n: number) => {
    await webhookApi[call](id, n)
    await refetch()
    if (call === 'deleteDeadLetter') box.current?.focus()
  })
  return (
    <div ref={box} tabIndex={-1} style={COLUMN}>
      <h3>Dead letters</h3>
      {data?.deadLetters.length === 0 ? <p className="second small">None: every message was taken.</p> : null}
      <ul style={COLUMN}>
        {data?.deadLetters.map(({ n, at, events, status, body, queued }) => (
          <li key={n} style={LINE} className="small">
            <span className="num">
              {`${relativeTime(Date.parse(at), now)} · ${formatCount(events, 'event')} · ${status ?? 'no answer'}`}
            </span>
            <Button
              size="sm"
              variant={queued ? 'ghost' : 'default'}
              aria-disabled={queued}
              busy={busy?.[0] === 'sendDeadLetter' && busy[1] === n}
              aria-label={`${queued ? 'Waits to be sent' : 'Send again'}: message ${n}`}
              onClick={() => !queued && run('sendDeadLetter', n)}
            >
              {queued ? 'Waits to be sent' : 'Send again'}
            </Button>
            <Button
              size="sm"
              variant="ghost"
              icon="trash"
              busy={busy?.[0] === 'deleteDeadLetter' && busy[1] === n}
              aria-label={`Delete message ${n}`}
              onClick={() => run('deleteDeadLetter', n)}
            />
            {body ? (
              <details style={{ flexBasis: '100%' }}>
                <summary>Its answer</summary>
                <p className="mono" style={{ overflowWrap: 'anywhere' }}>
                  {body}
                </p>
              </details>
            ) : null}
          </li>
        ))}
      </ul>
      <ActionError>{(failure?.error ?? error)?.message}</ActionError>
    </div>
  )
}
