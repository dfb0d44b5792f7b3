import type { ProofState } from '@pairwire/contract'
import type { ProgramCalls } from '@pairwire/decoders'

/** A program whose calls began to be unknown more often than they were. */
export type DecoderAlarm = ProofState['decoderAlarms'][number]

/**
 * How a program is watched, by what its newest window of calls says:
 *
 * | state      | window                                | becomes    | and                         |
 * |------------|---------------------------------------|------------|-----------------------------|
 * | `learning` | many unknown                          | `raised`   | the alarm is told           |
 * | `learning` | else                                  | `quiet`    | its share is the usual one  |
 * | `quiet`    | far more unknown than usual           | `raised`   | the alarm is told           |
 * | `quiet`    | else                                  | `quiet`    | the usual share follows it  |
 * | `raised`   | as usual, so many times in a row      | `quiet`    | the end is told             |
 * | `raised`   | else                                  | `raised`   |                             |
 */
type Watched = {
  state: 'learning' | 'quiet' | 'raised'
  /** Counters where the present window began. */
  from: Counts
  usualShare: number
  /** Windows in a row that were as usual while it is raised. */
  calmWindows: number
  alarm: DecoderAlarm | undefined
}

type Counts = Readonly<{
  understood: number
  unknown: number
  byDiscriminator: ProgramCalls['byDiscriminator']
}>

/** What is done with an alarm that begins, and with one that ends. */
type AlarmListener = Readonly<{ raised(alarm: DecoderAlarm): void; ended(alarm: DecoderAlarm): void }>

/** Watches the unknown calls of each program. Call `look` every {@link LOOK_EVERY_MS}. */
type DecoderAlarms = Readonly<{
  look(programs: Readonly<Record<string, ProgramCalls>>): void
  /** Those that stand, the largest share first. */
  standing(): readonly DecoderAlarm[]
}>

/** Milliseconds between two looks. */
export const LOOK_EVERY_MS = 10_000

/** Calls that a window needs before it says anything: fewer are waited for. */
const WINDOW_CALLS = 60

/** Unknown calls and share of a window from which they are far more than usual, and times the usual share. */
const MIN_UNKNOWN = 15
const MIN_SHARE = 0.05
const TIMES_USUAL = 3

/** Share from which the first window of all is no ordinary one: the decoders know what programs are called with. */
const FIRST_SHARE = 0.25

/** How fast the usual share follows. */
const FOLLOWS = 0.1

/** Windows in a row after which an alarm ends. */
const CALM_WINDOWS = 6

/** Watches nothing yet. */
export function createDecoderAlarms(listener: AlarmListener): DecoderAlarms {
  const watched = new Map<string, Watched>()

  const raise = (each: Watched, alarm: DecoderAlarm) => {
    each.state = 'raised'
    each.calmWindows = 0
    each.alarm = alarm
    listener.raised(alarm)
  }

  const judge = (each: Watched, alarm: DecoderAlarm, unknown: number) => {
    const { share } = alarm
    const isMuch = unknown >= MIN_UNKNOWN && share >= MIN_SHARE
    switch (each.state) {
      case 'learning':
        if (isMuch && share >= FIRST_SHARE) return raise(each, alarm)
        each.state = 'quiet'
        each.usualShare = share
        return
      case 'quiet':
        if (isMuch && share >= TIMES_USUAL * each.usualShare) return raise(each, alarm)
        each.usualShare += (share - each.usualShare) * FOLLOWS
        return
      case 'raised':
        if (isMuch && share >= TIMES_USUAL * each.usualShare) {
          each.calmWindows = 0
          each.alarm = alarm
        } else if (++each.calmWindows >= CALM_WINDOWS) {
          each.state = 'quiet'
          listener.ended(each.alarm!)
          each.alarm = undefined
        }
    }
  }

  return {
    look(programs) {
      for (const [program, calls] of Object.entries(programs)) {
        const each = watched.get(program) ?? newlyWatched()
        watched.set(program, each)
        const unknown = calls.unknown - each.from.unknown
        const all = calls.understood - each.from.understood + unknown
        if (all < WINDOW_CALLS) continue
        const alarm = {
          ...{ program, exchange: calls.exchange, share: unknown / all, usualShare: each.usualShare },
          ...mostCalled(calls, each.from),
        }
        each.from = calls
        judge(each, alarm, unknown)
      }
    },
    standing: () =>
      [...watched.values()]
        .flatMap(({ alarm }) => alarm ?? [])
        .sort((left, right) => right.share - left.share),
  }
}

function newlyWatched(): Watched {
  const from = { understood: 0, unknown: 0, byDiscriminator: {} }
  return { state: 'learning', from, usualShare: 0, calmWindows: 0, alarm: undefined }
}

/** The unknown instruction that was called most within the window. */
function mostCalled(calls: ProgramCalls, from: Counts): Pick<DecoderAlarm, 'discriminator' | 'example'> {
  let most = { discriminator: null as string | null, example: null as string | null, count: 0 }
  for (const [discriminator, { count, example }] of Object.entries(calls.byDiscriminator)) {
    const within = count - (from.byDiscriminator[discriminator]?.count ?? 0)
    if (within > most.count) most = { discriminator, example, count: within }
  }
  const { discriminator, example } = most
  return { discriminator, example }
}
