import type { CursorStore } from './cursor-keeper.ts'

/** Options of one stream; each names its default. */
export type StreamOptions = Readonly<{
  /** A cursor to begin after, unless one is stored; by default the stream begins now. */
  from?: string | undefined
  /** Name under which its cursor is stored; by default its kind. */
  name?: string | undefined
  /** Store that keeps its cursor across restarts of the program; by default none. */
  cursors?: CursorStore | undefined
  /** Shortest time in milliseconds between two saves, 1,000; 0 saves before the next event is handed out. */
  saveEveryMs?: number | undefined
  /** Items received and not yet handed out, 10,000; at least 1. */
  maxUnread?: number | undefined
  /** `pause` (the default) stops reading until half of them are handed out; `drop_oldest` drops and reports a gap. */
  whenFull?: 'pause' | 'drop_oldest' | undefined
  /** When its cursor is no longer kept: `gap` (the default) reports a gap and continues; `throw` ends the stream. */
  tooOld?: 'gap' | 'throw' | undefined
  /** Ends it, as `close()` does. */
  signal?: AbortSignal | undefined
}>

/** The options, with defaults filled in. */
export type ReadStreamOptions = ReturnType<typeof readStreamOptions>

/** Fills in the defaults. @throws RangeError for an invalid value */
export function readStreamOptions(options: StreamOptions, kind: string) {
  const { name = kind, saveEveryMs = 1_000, maxUnread = 10_000, whenFull = 'pause', tooOld = 'gap' } = options
  assertWhole('maxUnread', maxUnread, 1)
  assertWhole('saveEveryMs', saveEveryMs, 0)
  assertOneOf('whenFull', whenFull, ['pause', 'drop_oldest'])
  assertOneOf('tooOld', tooOld, ['gap', 'throw'])
  return { ...options, name, saveEveryMs, maxUnread, whenFull, tooOld }
}

function assertWhole(name: string, value: number, least: number): void {
  if (!Number.isInteger(value) || value < least)
    throw new RangeError(`${name} must be a whole number from ${least} on.`)
}

function assertOneOf(name: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) throw new RangeError(`${name} must be one of ${choices.join(', ')}.`)
}
