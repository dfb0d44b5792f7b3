import type { ConnectionNote } from '@pairwire/accounts'
import {
  type CloseReasonName,
  type Connections,
  DAY_MS,
  type OpenConnection,
  type OpenStream,
} from '@pairwire/contract'
import type { OpenStreams } from './parts.ts'

/** Milliseconds between two connections that still count as one stretch on the strip. */
const GAP_MS = 60_000

/** Ended connections that are listed at most. */
const CLOSED_TOLD = 20

/**
 * An account's connections as its owner sees them, and the gateways that did not answer. A record without an end whose
 * connection is no longer open died with its gateway: it ended when it was last seen.
 *
 * @param now Unix milliseconds
 */
export function composeConnections(
  { open, missing }: OpenStreams,
  notes: readonly ConnectionNote[],
  now: number,
): Connections {
  const openIds = new Set(open.map(({ id }) => id))
  const closed = notes
    // Connections on a gateway that does not answer may be open or not.
    .filter(({ id, closedAt }) => !openIds.has(id) && (closedAt !== null || missing.length === 0))
    .map((note) => ({ ...note, closedAt: note.closedAt ?? note.seenAt, ended: note.ended ?? 'unknown' }))
    .sort((left, right) => right.closedAt.getTime() - left.closedAt.getTime())
  const spans = [
    ...closed.map(({ openedAt, closedAt }) => ({ from: openedAt.getTime(), to: closedAt.getTime() })),
    ...open.map(({ connectedAt }) => ({ from: connectedAt, to: now })),
  ]

  return {
    at: timeOf(now),
    ...(missing.length > 0 ? { missing: [...missing] } : {}),
    open: open.map(toOpen),
    closed: closed
      .slice(0, CLOSED_TOLD)
      .map(({ id, address, client, openedAt, closedAt, ended, sentEvents }) => ({
        id,
        address,
        client,
        openedAt: openedAt.toISOString(),
        closedAt: closedAt.toISOString(),
        ended,
        sentence: endingSentence(ended),
        sentEvents,
      })),
    spans: joined(spans, now).map(({ from, to }) => ({ from: timeOf(from), to: timeOf(to) })),
  }
}

function toOpen({ connectedAt, lastSeenAt, subscriptions, ...stream }: OpenStream): OpenConnection {
  return {
    ...stream,
    openedAt: timeOf(connectedAt),
    lastSeenAt: timeOf(lastSeenAt),
    subscriptions: subscriptions.map(({ id, kind }) => ({ id, kind })),
  }
}

/** The sentence for each ending, for the account whose programs are the clients. */
const ENDINGS: Readonly<Record<CloseReasonName | 'client' | 'lost' | 'unreadable' | 'unknown', string>> = {
  restart: 'The service restarted.',
  idle: 'It sent nothing for 60 seconds.',
  binary: 'It sent a frame that is not text.',
  tooManyFragments: 'It sent a frame in more than 1,024 fragments.',
  tooBig: 'It sent a frame over 64 KiB.',
  malformed: 'It sent too many invalid requests.',
  keyUnknown: 'The key was reset.',
  accountSuspended: 'The account was suspended.',
  noPlan: 'The plan ended, or allows no more of this stream.',
  slowConsumer: 'It read too slowly.',
  streamAway: 'The events it had missed could not be read.',
  disconnected: 'Disconnected by the account or by an operator.',
  connectionLimit: 'The plan allows fewer connections now.',
  client: 'The client closed it.',
  lost: 'The network connection was lost.',
  unreadable: 'It sent a frame that could not be read.',
  unknown: 'The service stopped while it was open.',
}

function endingSentence(ended: string): string {
  return new Map(Object.entries(ENDINGS)).get(ended) ?? 'It ended.'
}

type Span = { from: number; to: number }

/** The times cut to the last day, in order; those that touch or nearly touch are merged. */
function joined(spans: readonly Span[], now: number): Span[] {
  const since = now - DAY_MS
  const sorted = spans
    .filter(({ to }) => to > since)
    .map(({ from, to }) => ({ from: Math.max(from, since), to: Math.min(to, now) }))
    .sort((left, right) => left.from - right.from)

  const result: Span[] = []
  for (const span of sorted) {
    const last = result.at(-1)
    if (last && span.from - last.to < GAP_MS) last.to = Math.max(last.to, span.to)
    else result.push(span)
  }
  return result
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
