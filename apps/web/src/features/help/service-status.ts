import { DAY_MS } from '@pairwire/contract/time-units'
import { formatCount } from '../../locale/locale.ts'

/** The state of the streams: all is well, events are late, or a dependency is unavailable. */
export type StreamState = 'well' | 'late' | 'down'

/** A UTC day of the strip. `none` was not measured. */
export type StripDay = Readonly<{
  /** `2026-11-20`. */
  day: string
  state: StreamState | 'none'
  /** Seconds in trouble. */
  lateSeconds: number
  downSeconds: number
}>

/** The service's public status. */
export type ServiceStatus = Readonly<{
  state: StreamState
  /** Median lag of the events of the last measured minute, in milliseconds; `undefined` if unknown. */
  medianLagMs: number | undefined
  /** The last 90 days, oldest first, today last. */
  days: readonly StripDay[]
}>

const DAYS = 90

/** Seconds in trouble that mark a day, as on the status page. */
const MARKED_SECONDS = 60

/** Reads the status in the answer of `/status.json` at `now` (Unix milliseconds); `undefined` when it has no state. */
export function readServiceStatus(answer: unknown, now: number): ServiceStatus | undefined {
  const { state, minutes, days } = fieldsOf(answer)
  if (state !== 'well' && state !== 'late' && state !== 'down') return undefined
  const { lagMedianMs } = fieldsOf(Array.isArray(minutes) ? minutes.at(-1) : undefined)
  const known = new Map((Array.isArray(days) ? days : []).map(fieldsOf).map((day) => [day.day, day]))
  return {
    state,
    medianLagMs: typeof lagMedianMs === 'number' && lagMedianMs >= 0 ? lagMedianMs : undefined,
    days: Array.from({ length: DAYS }, (_, index) => {
      const day = new Date(now - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10)
      return readDay(day, known.get(day))
    }),
  }
}

/** Describes the days in one sentence, for screen readers. */
export function stripSentence(days: readonly StripDay[]): string {
  const measured = days.filter(({ state }) => state !== 'none')
  if (measured.length === 0) return 'The last 90 days: nothing was measured yet.'
  const outages = measured.filter(({ state }) => state === 'down').length
  const delays = measured.filter(({ state }) => state === 'late').length
  const well = measured.length - outages - delays
  return `The last 90 days: ${formatCount(measured.length, 'day')} measured, ${well} normal, ${delays} delayed, ${outages} with an outage.`
}

function readDay(day: string, fields: Fields | undefined): StripDay {
  const wellSeconds = secondsOf(fields?.wellSeconds)
  const lateSeconds = secondsOf(fields?.lateSeconds)
  const downSeconds = secondsOf(fields?.downSeconds)
  const measured = wellSeconds + lateSeconds + downSeconds > 0
  const trouble = downSeconds >= MARKED_SECONDS ? 'down' : lateSeconds >= MARKED_SECONDS ? 'late' : 'well'
  return { day, state: measured ? trouble : 'none', lateSeconds, downSeconds }
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {} // any name may be asked
}

function secondsOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0
}
