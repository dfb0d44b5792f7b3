/**
 * The states of the connection:
 *
 *     idle --wanted--> connecting --opened--> open --full--> resting --drained--> open, or connecting
 *                       ^      |               |
 *                     retry    +----- lost ----+
 *                       |      v
 *                       +-- waiting            from connecting, open and resting: refused --> failed --wanted--> connecting
 *
 * Each state leads to `idle` when the last stream ends.
 */
export type LineState = 'idle' | 'connecting' | 'open' | 'waiting' | 'resting' | 'failed'

/** The events that may change the state, in the order of the table's columns. */
const EVENTS = [
  /** The first stream is being read. */
  'wanted',
  'opened',
  /** Closed with a code that allows a retry, broken, not open in time, or silent. */
  'lost',
  /** An error that no retry fixes. */
  'refused',
  /** The wait is over, or a browser reports that it is online again. */
  'retry',
  /** A stream reached its limit of unread items. */
  'full',
  /** No stream is full any more. */
  'drained',
  /** The last stream has ended. */
  'ended',
] as const

/** An event that may change the state. */
export type LineEvent = (typeof EVENTS)[number]

/** A cell: the next state, or no change. A resting connection resumes if it still has its socket. */
type Cell = LineState | 'open or connecting' | '-'

/** One cell for each event. */
type Row<Columns = typeof EVENTS> = { readonly [Column in keyof Columns]: Cell }

const TABLE: Readonly<Record<LineState, Row>> = {
  idle: ['connecting', '-', '-', '-', '-', '-', '-', 'idle'],
  connecting: ['-', 'open', 'waiting', 'failed', '-', '-', '-', 'idle'],
  open: ['-', '-', 'waiting', 'failed', '-', 'resting', '-', 'idle'],
  waiting: ['-', '-', '-', '-', 'connecting', '-', '-', 'idle'],
  resting: ['-', '-', 'resting', 'failed', '-', '-', 'open or connecting', 'idle'],
  failed: ['connecting', '-', '-', '-', '-', '-', '-', 'idle'],
}

/** Returns the state that `event` leads to; undefined where nothing changes. */
export function nextLineState(state: LineState, event: LineEvent, hasSocket: boolean): LineState | undefined {
  const next = TABLE[state][EVENTS.indexOf(event)]
  if (next === 'open or connecting') return hasSocket ? 'open' : 'connecting'
  return next === '-' ? undefined : next
}
