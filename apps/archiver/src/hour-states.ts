/**
 * The states of an hour, from the stream to the archive.
 *
 *     running --> ended --> making --> made --> publishing --> published
 *                   ^         |         ^           |
 *                   +-- failed+         +-- failed, + storage away
 *                             |                     |
 *                             +-- three times ------+----> stuck, until the next start
 */
export type HourState = 'running' | 'ended' | 'making' | 'made' | 'publishing' | 'published' | 'stuck'

/** Events that change the state of an hour. */
const EVENTS = [
  /** A block reached a later hour. */
  'passed',
  /** It is next in line to be made or published. */
  'taken',
  /** The current step succeeded. */
  'done',
  /** The current step failed, and may succeed later. */
  'failed',
  /** The step failed too often. */
  'failedForGood',
  /** The storage cannot be reached. */
  'away',
  /** Another archiver has published an hour as good as ours. */
  'superseded',
] as const

export type HourEvent = (typeof EVENTS)[number]

/** The state after each of {@link EVENTS}. */
type Row<Events extends readonly unknown[]> = { readonly [At in keyof Events]: HourState }

const HOUR_STATES: Readonly<Record<HourState, 'stays' | Row<typeof EVENTS>>> = {
  running: ['ended', 'running', 'running', 'running', 'running', 'running', 'running'],
  ended: ['ended', 'making', 'ended', 'ended', 'ended', 'ended', 'ended'],
  making: ['making', 'making', 'made', 'ended', 'stuck', 'making', 'published'],
  made: ['made', 'publishing', 'made', 'made', 'made', 'made', 'made'],
  publishing: ['publishing', 'publishing', 'published', 'made', 'stuck', 'made', 'published'],
  published: 'stays',
  stuck: 'stays',
}

/** The state of an hour after an event. */
export function nextHourState(state: HourState, event: HourEvent): HourState {
  const row = HOUR_STATES[state]
  return row === 'stays' ? state : row[EVENTS.indexOf(event)]!
}
