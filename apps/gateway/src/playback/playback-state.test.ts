import { describe, expect, it } from 'vitest'
import { createPlaybackState, type Input } from './playback-state.ts'

const INPUTS = [
  'asked',
  'answered',
  'second',
  'start',
  'emptied',
  'finish',
] as const satisfies readonly Input[]

/** The next phase and action, by phase and in the order of the inputs. */
const EXPECTED = {
  opening: 'opening|gathering wait|opening|hurried|ended release|opening',
  gathering: 'opening stopWaiting|gathering|playing play|playing play|ended release|gathering',
  hurried: 'hurried|playing play|hurried|hurried|ended release|hurried',
  playing: 'playing|playing|playing|playing|ended release|ended close',
  ended: 'ended|ended|ended|ended|ended|ended',
}

describe('the states of a playback', () => {
  for (const [phase, row] of Object.entries(EXPECTED)) {
    const cells = row.split('|')
    for (const [at, input] of INPUTS.entries()) {
      it(`on ${input} while ${phase}: ${cells[at]}`, () => {
        const state = createPlaybackState(phase as keyof typeof EXPECTED)

        const action = state.on(input)

        expect([state.phase(), ...(action === 'nothing' ? [] : [action])].join(' ')).toBe(cells[at])
      })
    }
  }
})
