import { describe, expect, it } from 'vitest'
import { createPlaybackState, INPUTS, PHASES } from './playback-state.ts'

/** What follows, by phase and in the order of the inputs: asked, answered, second, start, emptied, finish. */
const EXPECTED = {
  opening: 'opening|gathering wait|opening|hurried|ended release|opening',
  gathering: 'opening stopWaiting|gathering|playing play|playing play|ended release|gathering',
  hurried: 'hurried|playing play|hurried|hurried|ended release|hurried',
  playing: 'playing|playing|playing|playing|ended release|ended close',
  ended: 'ended|ended|ended|ended|ended|ended',
}

describe('the states of a playback', () => {
  for (const phase of PHASES) {
    const cells = EXPECTED[phase].split('|')
    for (const [at, input] of INPUTS.entries()) {
      it(`on ${input} while ${phase}: ${cells[at]}`, () => {
        const state = createPlaybackState(phase)

        const action = state.on(input)

        expect([state.phase(), ...(action === 'nothing' ? [] : [action])].join(' ')).toBe(cells[at])
      })
    }
  }
})
