/** How a program is watched, window by window: what it becomes, and what is done. */
export const ALARM_STATES: Readonly<
  Record<AlarmState, Readonly<Record<AlarmEvent, Readonly<{ state: AlarmState; does: AlarmAct }>>>>
> = {
  learning: {
    alarming: { state: 'raised', does: 'raise' },
    usual: { state: 'quiet', does: 'learn' },
    calm: { state: 'quiet', does: 'learn' },
  },
  quiet: {
    alarming: { state: 'raised', does: 'raise' },
    usual: { state: 'quiet', does: 'follow' },
    calm: { state: 'quiet', does: 'follow' },
  },
  raised: {
    alarming: { state: 'raised', does: 'keep' },
    usual: { state: 'raised', does: 'wait' },
    calm: { state: 'quiet', does: 'end' },
  },
}

/** What a window of calls says of a program. `calm`: as usual, for the {@link CALM_WINDOWS}th time in a row. */
type AlarmEvent = 'alarming' | 'usual' | 'calm'

/** `learn`: the share becomes the usual one. `follow`: the usual one follows it. `keep`: the alarm tells of this window. */
export type AlarmAct = 'raise' | 'learn' | 'follow' | 'keep' | 'wait' | 'end'

export type AlarmState = 'learning' | 'quiet' | 'raised'

/** Windows in a row after which an alarm ends. */
export const CALM_WINDOWS = 6
