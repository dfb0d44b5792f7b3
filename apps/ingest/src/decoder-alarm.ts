import type { ProofState } from '@pairwire/contract'
import type { ProgramCalls } from '@pairwire/decoders'
import { ALARM_STATES, type AlarmAct, type AlarmState, CALM_WINDOWS } from './alarm-states.ts'

/** A program whose calls are unknown more often than before. */
export type DecoderAlarm = ProofState['decoderAlarms'][number]

type Watched = {
  state: AlarmState
  /** Counters at the start of the current window. */
  from: Counts
  usualShare: number
  /** Consecutive normal windows. */
  calmWindows: number
  alarm: DecoderAlarm | undefined
}

type Counts = Readonly<{
  understood: number
  unknown: number
  byDiscriminator: ProgramCalls['byDiscriminator']
}>

/** Called when an alarm begins, and when one ends. */
type AlarmListener = Readonly<{ raised(alarm: DecoderAlarm): void; ended(alarm: DecoderAlarm): void }>

/** Watches the unknown calls of each program. Call `look` every {@link LOOK_EVERY_MS}. */
type DecoderAlarms = Readonly<{
  look(programs: Readonly<Record<string, ProgramCalls>>): void
  /** The current alarms, the largest share first. */
  standing(): readonly DecoderAlarm[]
}>

/** Milliseconds between two checks. */
export const LOOK_EVERY_MS = 10_000

/** Calls that a window needs before it is judged: fewer continue the window. */
const WINDOW_CALLS = 60

/** Unknown calls and share of a window from which they are far above normal, and the factor over the usual share. */
const MIN_UNKNOWN = 15
const MIN_SHARE = 0.05
const TIMES_USUAL = 3

/** Share above which the very first window is abnormal: the decoders know how programs are called. */
const FIRST_SHARE = 0.25

/** How fast the usual share follows. */
const FOLLOWS = 0.1

/** Creates alarms that watch nothing yet. */
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

/** Whether a window's unknown calls are far above normal, or too many for a first window. */
function isFarMore({ state, usualShare }: Watched, share: number, unknown: number): boolean {
  const least = state === 'learning' ? FIRST_SHARE : TIMES_USUAL * usualShare
  return unknown >= MIN_UNKNOWN && share >= MIN_SHARE && share >= least
}

function newlyWatched(): Watched {
  const from = { understood: 0, unknown: 0, byDiscriminator: {} }
  return { state: 'learning', from, usualShare: 0, calmWindows: 0, alarm: undefined }
}

/** Returns the unknown instruction with the most calls in the window. */
function mostCalled(calls: ProgramCalls, from: Counts): Pick<DecoderAlarm, 'discriminator' | 'example'> {
  let most = { discriminator: null as string | null, example: null as string | null, count: 0 }
  for (const [discriminator, { count, example }] of Object.entries(calls.byDiscriminator)) {
    const within = count - (from.byDiscriminator[discriminator]?.count ?? 0)
    if (within > most.count) most = { discriminator, example, count: within }
  }
  const { discriminator, example } = most
  return { discriminator, example }
}
