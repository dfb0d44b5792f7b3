import { describe, expect, it } from 'vitest'
import { ALARM_STATES } from './alarm-states.ts'

describe('the table of alarm states', () => {
  it.each([
    ['learning', 'alarming', 'raised', 'raise'],
    ['learning', 'usual', 'quiet', 'learn'],
    ['learning', 'calm', 'quiet', 'learn'],
    ['quiet', 'alarming', 'raised', 'raise'],
    ['quiet', 'usual', 'quiet', 'follow'],
    ['quiet', 'calm', 'quiet', 'follow'],
    ['raised', 'alarming', 'raised', 'keep'],
    ['raised', 'usual', 'raised', 'wait'],
    ['raised', 'calm', 'quiet', 'end'],
  ] as const)('%s with a window that is %s leads to %s and to %s', (state, event, wanted, does) => {
    expect(ALARM_STATES[state][event]).toEqual({ state: wanted, does })
  })
})
