import type { ProofState } from '@pairwire/contract'
import type { ProgramCalls } from '@pairwire/decoders'
import { ALARM_STATES, type AlarmAct, type AlarmState, CALM_WINDOWS } from './alarm-states.ts'

/** A program whose calls began to be unknown more often than they were. */
export type DecoderAlarm = ProofState['decoderAlarms'][number]

type Watched = {
  state: AlarmState
  /** Counters where the present window began. */
  from: Counts
  usualShare: number
  /** Windows in a row that were as usual. */
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

/** Watches nothing yet. */
export function createDecoderAlarms(listener: AlarmListener): DecoderAlarms {
  const watched = new Map<string, Watched>()

  const acts: Record<AlarmAct, (each: Watched, alarm: DecoderAlarm) => void> = {
    raise(each, alarm) {
      each.alarm = alarm
      listener.raised(alarm)
    },
    learn(each, { share }) {
      each.usualShare = share
    },
    follow(each, { share }) {
      each.usualShare += (share - each.usualShare) * FOLLOWS
    },
    keep(each, alarm) {
      each.alarm = alarm
    },
    wait() {},
    end(each) {
      listener.ended(each.alarm!)
      each.alarm = undefined
    },
  }

  const judge = (each: Watched, alarm: DecoderAlarm, unknown: number) => {
    const isAlarming = isFarMore(each, alarm.share, unknown)
    each.calmWindows = isAlarming ? 0 : each.calmWindows + 1
    const usual = each.calmWindows >= CALM_WINDOWS ? 'calm' : 'usual'
    const { state, does } = ALARM_STATES[each.state][isAlarming ? 'alarming' : usual]
    each.state = state
    acts[does](each, alarm)
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

/** Whether so many unknown calls of a window are far more than usual, or too many for a first one. */
function isFarMore({ state, usualShare }: Watched, share: number, unknown: number): boolean {
  const least = state === 'learning' ? FIRST_SHARE : TIMES_USUAL * usualShare
  return unknown >= MIN_UNKNOWN && share >= MIN_SHARE && share >= least
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
