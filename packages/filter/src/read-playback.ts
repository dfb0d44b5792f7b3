import { STREAM_LIMITS } from '@pairwire/contract/stream-limits'
import { type Fields, indexFields } from './fields.ts'
import { assertKnown } from './read-fields.ts'
import { invalidParams, quoted, StreamFault } from './stream-fault.ts'
import { STREAM_SENTENCES } from './stream-sentences.ts'

/** The hours to replay: Unix seconds, excluding `to`, at `speed` times the original pace. */
export type PlaybackWindow = Readonly<{ from: number; to: number; speed: number }>

const FIELDS = ['from', 'to', 'speed']
const RIGHT = '"replay":{"from":"2026-11-23T13:00:00Z"}'
const HOUR_SECONDS = 3_600

/**
 * Reads `replay` from the params of a subscribe.
 *
 * @returns undefined if it is absent: the subscribe is for the live stream
 * @throws StreamFault with a sentence for each known mistake
 */
export function readPlayback(params: Fields): PlaybackWindow | undefined {
  const value = params.read('replay')
  if (value === undefined) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidParams(`replay must be an object, as in ${RIGHT}.`)
  }
  assertPlayable(params)

  const fields = indexFields(value)
  assertKnown(fields, 'replay', FIELDS, `It takes ${FIELDS.join(', ')}.`)
  const from = readTime(fields, 'from')
  if (from === undefined) throw invalidParams(`replay needs the time at which it begins, as in ${RIGHT}.`)
  const to = readTime(fields, 'to') ?? from - (from % HOUR_SECONDS) + HOUR_SECONDS
  if (to <= from) throw invalidParams('replay.to must be later than replay.from.')
  if (to - from > STREAM_LIMITS.playbackHours * HOUR_SECONDS) {
    throw invalidParams(`replay.to must be at most ${STREAM_LIMITS.playbackHours} hours after replay.from.`)
  }
  return { from, to, speed: readSpeed(fields) }
}

/** @throws StreamFault for a param that no playback has */
export function assertPlayable(params: Fields): void {
  const beside = ['commitment', 'timestamps'].find((name) => params.read(name) !== undefined)
  if (beside) throw invalidParams(`${beside} cannot stand beside replay. Leave it out.`)
  assertInArchive(params)
}

/** @throws StreamFault for a param that needs facts, which the archive has none of */
export function assertInArchive(params: Fields): void {
  const missing = ['facts', 'creator'].find((name) => (params.read(name) ?? false) !== false)
  if (missing === undefined) return
  const why = 'the archive holds no facts'
  throw new StreamFault('NOT_AVAILABLE', STREAM_SENTENCES.NOT_AVAILABLE(missing, why))
}

function readTime(fields: Fields, name: 'from' | 'to'): number | undefined {
  const value = fields.read(name)
  if (value === undefined) return undefined
  const [, local] = (typeof value === 'string' && TIME.exec(value)) || []
  const at = local === undefined ? Number.NaN : Date.parse(String(value))
  // The parser reads the 30th of February as a day in March.
  if (Number.isNaN(at) || new Date(`${local}Z`).toISOString().slice(0, local?.length) !== local) {
    throw invalidParams(
      `replay.${name} must be a time in whole seconds, such as "2026-11-23T13:00:00Z", not ${quoted(value)}.`,
    )
  }
  return at / 1_000
}

/** RFC 3339 without fractions of a second. */
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:Z|[+-]\d\d:\d\d)$/

function readSpeed(fields: Fields): number {
  const speed = fields.read('speed') ?? 1
  if (typeof speed === 'number' && speed >= 1 && speed <= STREAM_LIMITS.playbackSpeed) return speed
  throw invalidParams(
    `replay.speed must be a number from 1 to ${STREAM_LIMITS.playbackSpeed}, without quotes, not ${quoted(speed)}.`,
  )
}
