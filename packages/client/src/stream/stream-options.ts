import type { CursorStore } from './cursor-keeper.ts'

/** How one stream behaves. What is left out is as it says. */
export type StreamOptions = Readonly<{
  /** A cursor to begin behind; one that is stored goes before it. Left out: now. */
  from?: string
  /** What its place is kept under. Left out: its kind. */
  name?: string
  /** Where its place is kept over a restart of the program. Left out: nowhere. */
  cursors?: CursorStore
  /** Milliseconds between two saves at least, 1,000; 0 saves before the next event is handed out. */
  saveEveryMs?: number
  /** Items received and not handed out, 10,000; at least 1. */
  maxUnread?: number
  /** `pause` reads no more until half of them is handed out; `drop_oldest` drops, and tells a gap. */
  whenFull?: 'pause' | 'drop_oldest'
  /** Where its place is no longer held: `gap` goes on from the oldest that is, and says so; `throw` ends it. */
  tooOld?: 'gap' | 'throw'
  /** Ends it, as `close()` does. */
  signal?: AbortSignal
}>

/** The options with what was left out. */
export type ReadStreamOptions = Readonly<
  Required<Omit<StreamOptions, 'cursors' | 'signal' | 'from'>> &
    Pick<StreamOptions, 'cursors' | 'signal' | 'from'>
>

/** Fills in what is left out. @throws RangeError for a value that means nothing */
export function readStreamOptions(options: StreamOptions, kind: string): ReadStreamOptions {
  const read = {
    name: kind,
    saveEveryMs: 1_000,
    maxUnread: 10_000,
    whenFull: 'pause',
    tooOld: 'gap',
    ...options,
  } as const
  assertWhole('maxUnread', read.maxUnread, 1)
  assertWhole('saveEveryMs', read.saveEveryMs, 0)
  assertOneOf('whenFull', read.whenFull, ['pause', 'drop_oldest'])
  assertOneOf('tooOld', read.tooOld, ['gap', 'throw'])
  return read
}

function assertWhole(name: string, value: number, least: number): void {
  if (!Number.isInteger(value) || value < least)
    throw new RangeError(`${name} must be a whole number from ${least} on.`)
}

function assertOneOf(name: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) throw new RangeError(`${name} must be one of ${choices.join(', ')}.`)
}
