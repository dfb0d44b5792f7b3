/**
 * The line that comes back:
 *
 *     idle --wanted--> connecting --opened--> open --full--> resting --drained--> open, or connecting
 *                       ^      |               |
 *                     retry    +----- lost ----+
 *                       |      v
 *                       +-- waiting            from connecting, open and resting: refused --> failed --wanted--> connecting
 *
 * From each of them to `idle` when the last stream has ended.
 */
export type LineState = 'idle' | 'connecting' | 'open' | 'waiting' | 'resting' | 'failed'

/** What happens to it. */
export type LineEvent =
  /** The first stream is read. */
  | 'wanted'
  | 'opened'
  /** Closed with a code that says come back, broken, not open in time, or silent. */
  | 'lost'
  /** What no retry heals. */
  | 'refused'
  /** The wait is over, or a browser says that it is online again. */
  | 'retry'
  /** A stream holds as much unread as it may. */
  | 'full'
  /** No stream does any more. */
  | 'drained'
  /** The last stream has ended. */
  | 'ended'

/** The events, in the order of the table's columns. */
const EVENTS = [
  'wanted',
  'opened',
  'lost',
  'refused',
  'retry',
  'full',
  'drained',
  'ended',
] as const satisfies readonly LineEvent[]

/** A cell: the next state, or nothing. A line that rested goes on where it still has its socket. */
type Cell = LineState | 'open or connecting' | '-'

/** A cell for each event. */
type Row<Columns extends readonly LineEvent[]> = { readonly [Column in keyof Columns]: Cell }

const TABLE: Readonly<Record<LineState, Row<typeof EVENTS>>> = {
  idle: ['connecting', '-', '-', '-', '-', '-', '-', 'idle'],
  connecting: ['-', 'open', 'waiting', 'failed', '-', '-', '-', 'idle'],
  open: ['-', '-', 'waiting', 'failed', '-', 'resting', '-', 'idle'],
  waiting: ['-', '-', '-', '-', 'connecting', '-', '-', 'idle'],
  resting: ['-', '-', 'resting', 'failed', '-', '-', 'open or connecting', 'idle'],
  failed: ['connecting', '-', '-', '-', '-', '-', '-', 'idle'],
}

/** Where `event` leads from `state`; undefined where it changes nothing. */
export function nextLineState(state: LineState, event: LineEvent, hasSocket: boolean): LineState | undefined {
  const next = TABLE[state][EVENTS.indexOf(event)]
  if (next === 'open or connecting') return hasSocket ? 'open' : 'connecting'
  return next === '-' ? undefined : next
}
