import type { AlarmState } from '../database/schema.ts'

/**
 * What a look finds: the condition does not hold, holds for less than the patience, for longer and it was told within the
 * hour, or for longer.
 */
type Finding = 'well' | 'ill' | 'again' | 'due'

/** The next state of an alarm, and what operators are told of it. */
type Turn = Readonly<{ state: AlarmState; tells?: 'begun' | 'ended' }>

/** What becomes of an alarm that does not stand. */
const RESTING: Readonly<Record<Finding, Turn>> = {
  well: { state: 'quiet' },
  ill: { state: 'waiting' },
  again: { state: 'hushed' },
  due: { state: 'raised', tells: 'begun' },
}

const ALARM_STATES: Readonly<Record<AlarmState, Readonly<Record<Finding, Turn>>>> = {
  quiet: RESTING,
  waiting: RESTING,
  hushed: {
    well: { state: 'quiet' },
    ill: { state: 'hushed' },
    again: { state: 'hushed' },
    due: { state: 'raised', tells: 'begun' },
  },
  raised: {
    well: { state: 'quiet', tells: 'ended' },
    ill: { state: 'raised' },
    again: { state: 'raised' },
    due: { state: 'raised' },
  },
}

/** Milliseconds within which an alarm that comes and goes is told once. */
const HUSH_MS = 60 * 60_000

/** An alarm: since when its condition holds, null while it does not, and when operators were told that it began. */
export type Alarm = Readonly<{ state: AlarmState; since: Date | null; toldAt: Date | null }>

/** An alarm that was never raised. */
export const QUIET: Alarm = { state: 'quiet', since: null, toldAt: null }

/** What a look at `now` makes of an alarm, and what operators are told of it. */
export function turnAlarm(
  { state, since: before, toldAt }: Alarm,
  { holds, patienceMs }: Readonly<{ holds: boolean; patienceMs: number }>,
  now: Date,
): Readonly<{ alarm: Alarm; tells: Turn['tells'] }> {
  // After a clock was set back, the wait begins again.
  const since = !holds ? null : before && before <= now ? before : now
  const turn = ALARM_STATES[state][findingOf(since, toldAt, patienceMs, now)]
  return {
    alarm: { state: turn.state, since, toldAt: turn.tells === 'begun' ? now : toldAt },
    tells: turn.tells,
  }
}

function findingOf(since: Date | null, toldAt: Date | null, patienceMs: number, now: Date): Finding {
  if (!since) return 'well'
  if (now.getTime() - since.getTime() < patienceMs) return 'ill'
  return toldAt && Math.abs(now.getTime() - toldAt.getTime()) < HUSH_MS ? 'again' : 'due'
}

/** Whether the alarm stands, told or not. */
export function isStanding({ state }: Pick<Alarm, 'state'>): boolean {
  return state === 'raised' || state === 'hushed'
}
