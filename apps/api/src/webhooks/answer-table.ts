import type { WebhookOutcome } from '@pairwire/accounts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@pairwire/contract'

/** A try as the table sees it: the answer, and what was before it. Times are Unix milliseconds. */
export type Tried = Readonly<{
  /** Null without an answer. */
  status: number | null
  /** The beginning of the answer, or why there is none. */
  body: string
  retryAfterMs?: number | undefined
  /** Tries of the message before this one, and those of them that were refused. */
  tries: number
  refusals: number
  /** Since when no message was taken; null if the last one was. */
  failingSince: number | null
  /** When the message was noted: it failed for no longer. */
  notedAt: number
  now: number
  /** From 0 to 1. */
  random: number
}>

/** Waits after the first try, the second, and so on; then an hour each. */
const WAITS = [1_000, 5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS]

/** The most by which a wait varies. */
const SPREAD = 0.2

/** Tries after which a refused message is a dead letter. */
const REFUSALS = 6

const MAIL_AFTER = HOUR_MS
const STOP_AFTER = DAY_MS
/** Fewer than fit into that time: in some of it nothing was sent, as while its plan had ended or we were away. */
const LEAST_TRIES = 12

/** Statuses beside 5xx at which another try may help. */
const LATER = new Set([408, 425, 429])

/** What an answer means. */
export type AnswerClass = 'taken' | 'later' | 'refused' | 'gone'

export function classOf(status: number | null): AnswerClass {
  if (status === null || status >= 500 || LATER.has(status)) return 'later'
  if (status === 410) return 'gone'
  return status >= 200 && status < 300 ? 'taken' : 'refused'
}

/** What follows from an answer of each class. */
const TABLE: Readonly<Record<AnswerClass, (tried: Tried) => WebhookOutcome>> = {
  taken: () => ({ is: 'taken' }),
  later(tried) {
    const failedMs = tried.now - Math.max(tried.failingSince ?? tried.now, tried.notedAt)
    if (failedMs >= STOP_AFTER && tried.tries >= LEAST_TRIES) return { is: 'stop' }
    const mail = failedMs >= MAIL_AFTER ? 'webhook_failing' : undefined
    return { is: 'again', isRefused: false, nextTryAt: after(tried, tried.tries), mail }
  },
  refused(tried) {
    if (tried.refusals + 1 >= REFUSALS) return { is: 'dead', status: tried.status, body: tried.body }
    return { is: 'again', isRefused: true, nextTryAt: after(tried, tried.refusals) }
  },
  gone: () => ({ is: 'stop' }),
}

/** What follows for a message. */
export function outcomeOf(tried: Tried): WebhookOutcome {
  return TABLE[classOf(tried.status)](tried)
}

function after({ now, random, retryAfterMs = 0 }: Tried, place: number): Date {
  const wait = (WAITS[place] ?? HOUR_MS) * (1 - SPREAD + 2 * SPREAD * random)
  return new Date(now + Math.round(Math.max(wait, Math.min(retryAfterMs, HOUR_MS))))
}
