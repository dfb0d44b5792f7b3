/** How a program is watched, window by window: the next state, and the action. */
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

/** What a window of calls shows about a program. `calm`: usual for the {@link CALM_WINDOWS}th time in a row. */
type AlarmEvent = 'alarming' | 'usual' | 'calm'

/** `learn`: the share becomes the usual one. `follow`: the usual share moves towards it. `keep`: the alarm shows it. */
export type AlarmAct = 'raise' | 'learn' | 'follow' | 'keep' | 'wait' | 'end'

export type AlarmState = 'learning' | 'quiet' | 'raised'

/** Usual windows in a row that end an alarm. */
export const CALM_WINDOWS = 6
