import type { ConnectionNote } from '@pairwire/accounts'
import { CLOSE_REASONS, type Connections, type OpenConnection } from '@pairwire/contract'
import type { OpenStream } from './parts.ts'

const DAY_MS = 24 * 60 * 60_000

/** Milliseconds between two connections that count as one time on the strip. */
const GAP_MS = 60_000

/** Ended connections that are told. */
const CLOSED_TOLD = 20

/**
 * What an account is told of its connections. A note without an end whose connection is not open any more died
 * with its gateway: it ended when it was last seen.
 *
 * @param now Unix milliseconds
 */
export function composeConnections(
  open: readonly OpenStream[],
  notes: readonly ConnectionNote[],
  now: number,
): Connections {
  const openIds = new Set(open.map(({ id }) => id))
  const closed = notes
    .filter(({ id }) => !openIds.has(id))
    .map((note) => ({ ...note, closedAt: note.closedAt ?? note.seenAt, ended: note.ended ?? 'unknown' }))
    .sort((left, right) => right.closedAt.getTime() - left.closedAt.getTime())
  const spans = [
    ...closed.map(({ openedAt, closedAt }) => ({ from: openedAt.getTime(), to: closedAt.getTime() })),
    ...open.map(({ connectedAt }) => ({ from: connectedAt, to: now })),
  ]

  return {
    at: timeOf(now),
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

/** Endings that are no close of ours. */
const ENDINGS: Readonly<Record<string, string>> = {
  client: 'The client closed it.',
  lost: 'The network was lost.',
  unreadable: 'A frame could not be read.',
  unknown: 'The service stopped while it was open.',
}

/** How a connection ended, in one sentence. */
function endingSentence(ended: string): string {
  const reasons: Readonly<Record<string, { sentence: string } | undefined>> = CLOSE_REASONS
  return ENDINGS[ended] ?? reasons[ended]?.sentence ?? 'It ended.'
}

type Span = { from: number; to: number }

/** The times cut to the last day, in order, with those that touch or nearly touch made one. */
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
