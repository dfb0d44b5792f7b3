import type { ClosedConnection, Connections, OpenConnection, UsageDay } from '@pairwire/contract'

/**
 * The days in `answer`, oldest first; `undefined` when it is no usage, as from a server that has none. What is no
 * count counts as zero.
 */
export function readUsage(answer: unknown): readonly UsageDay[] | undefined {
  const days = listOf(fieldsOf(answer).days)
  if (!days || days.length === 0) return undefined
  return days.map(fieldsOf).map((day) => ({
    day: textOf(day.day),
    newPairs: countOf(day.newPairs),
    buys: countOf(day.buys),
    sells: countOf(day.sells),
  }))
}

/** The connections in `answer`; `undefined` when it holds none to read. */
export function readConnections(answer: unknown): Connections | undefined {
  const fields = fieldsOf(answer)
  const [open, closed, spans] = [listOf(fields.open), listOf(fields.closed), listOf(fields.spans)]
  if (!open || !closed || !spans) return undefined
  const missing = (listOf(fields.missing) ?? []).map(textOf).filter((name) => name !== '')
  return {
    at: textOf(fields.at) || new Date().toISOString(),
    ...(missing.length > 0 ? { missing } : {}),
    open: open.map(fieldsOf).map(readOpen),
    closed: closed.map(fieldsOf).map(readClosed),
    spans: spans.map(fieldsOf).map(({ from, to }) => ({ from: textOf(from), to: textOf(to) })),
  }
}

type Fields = Readonly<Record<string, unknown>>

function readOpen(fields: Fields): OpenConnection {
  return {
    ...readPeer(fields),
    lastSeenAt: textOf(fields.lastSeenAt),
    subscriptions: (listOf(fields.subscriptions) ?? []).map(fieldsOf).flatMap(({ id, kind }) => {
      if (kind !== 'newPair' && kind !== 'swap' && kind !== 'latestBlock') return []
      return [{ id: countOf(id), kind }]
    }),
    sentBytes: countOf(fields.sentBytes),
    queuedBytes: countOf(fields.queuedBytes),
  }
}

function readClosed(fields: Fields): ClosedConnection {
  return {
    ...readPeer(fields),
    closedAt: textOf(fields.closedAt),
    ended: textOf(fields.ended),
    sentence: textOf(fields.sentence),
  }
}

function readPeer(fields: Fields) {
  return {
    id: textOf(fields.id),
    address: textOf(fields.address),
    client: textOf(fields.client),
    openedAt: textOf(fields.openedAt),
    sentEvents: countOf(fields.sentEvents),
  }
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return value as Fields // an object that is no list can be asked for any name
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}
