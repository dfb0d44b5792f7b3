import type { Webhook } from '@pairwire/contract'
import { WEBHOOK_LIMITS, type WebhookState } from '@pairwire/contract/webhook-calls'
import type { ComponentProps } from 'react'
import type { Badge } from '../../components/badge.tsx'
import { formatCount, formatNumber } from '../../locale/locale.ts'
import { duration, relativeTime } from '../../locale/relative-time.ts'

/** How each state that is not `on` looks; `waits` is beyond the plan's number. */
export const STATE_BADGES = {
  failing: { tone: 'warning', icon: 'warning', children: 'Failing' },
  paused: { tone: 'quiet', icon: 'pause', children: 'Paused' },
  stopped: { tone: 'danger', icon: 'stop', children: 'Stopped' },
  waits: { tone: 'quiet', icon: 'clock', children: 'Waits for a larger plan' },
} as const satisfies Record<Exclude<WebhookState, 'on'> | 'waits', ComponentProps<typeof Badge>>

/** What an endpoint took, its last try, and how far behind it is, in a line; `now` in Unix milliseconds. */
export function endpointWords({ counters, lastAttempt, behindMs }: Webhook, now: number): string {
  const { events, delivered, failed } = counters
  const last = lastAttempt
    ? `last answer ${lastAttempt.status ?? 'none'} after ${formatNumber(lastAttempt.ms)} ms, ${relativeTime(Date.parse(lastAttempt.at), now)}`
    : 'nothing sent yet'
  return [
    `${formatCount(events, 'event')} in ${formatCount(delivered, 'message')}`,
    ...(failed > 0 ? [`${formatCount(failed, 'try', 'tries')} failed`] : []),
    last,
    behindMs < 1_000 ? 'level with the stream' : `${duration(behindMs)} behind`,
  ].join(' · ')
}

/** Why an endpoint gets nothing or is behind, and what helps. */
export function adviceWords(endpoint: Webhook, now: number): string | undefined {
  const { state, behindMs, maxEvents, lastAttempt } = endpoint
  if (state === 'stopped') return 'Once its receiver works, Resume goes on from its place.'
  if (state !== 'on' || behindMs < SLOW_MS) return undefined
  if (!lastAttempt || now - Date.parse(lastAttempt.at) > SLOW_MS)
    return 'Nothing was sent lately: endpoints wait while a plan has ended, its events are used up or the account is suspended.'
  if (maxEvents === WEBHOOK_LIMITS.eventsMost) return undefined
  return 'It takes a message at a time, and events come faster. Raise the events in a message.'
}

/** Milliseconds behind from which advice is given. */
const SLOW_MS = 10_000
