/**
 * What becomes of an hour.
 *
 *     running --> ended --> making --> made --> publishing --> published
 *                   ^         |         ^           |
 *                   +-- failed+         +-- failed, + storage away
 *                             |                     |
 *                             +-- three times ------+----> stuck, until the next start
 */
export type HourState = 'running' | 'ended' | 'making' | 'made' | 'publishing' | 'published' | 'stuck'

/** What happens to it. */
const EVENTS = [
  /** A block reached a later hour. */
  'passed',
  /** Its turn came, to be made or to be published. */
  'taken',
  /** What was begun succeeded. */
  'done',
  /** What was begun failed, and may succeed later. */
  'failed',
  /** It failed once too often. */
  'failedForGood',
  /** The storage cannot be reached. */
  'away',
  /** Somebody else has published the hour, as well as we could. */
  'superseded',
] as const

/** One of {@link EVENTS}. */
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
