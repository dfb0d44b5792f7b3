import { describe, expect, it } from 'vitest'
import { type LineEvent, type LineState, nextLineState } from './line-states.ts'

const EVENTS = [
  'wanted',
  'opened',
  'lost',
  'refused',
  'retry',
  'full',
  'drained',
  'ended',
] as const satisfies readonly LineEvent[]

/** The next state, by state and in the order of the events; a dash for no change. */
const EXPECTED: Readonly<Record<LineState, string>> = {
  idle: 'connecting|-|-|-|-|-|-|idle',
  connecting: '-|open|waiting|failed|-|-|-|idle',
  open: '-|-|waiting|failed|-|resting|-|idle',
  waiting: '-|-|-|-|connecting|-|-|idle',
  resting: '-|-|resting|failed|-|-|open or connecting|idle',
  failed: 'connecting|-|-|-|-|-|-|idle',
}

describe('the states of the connection', () => {
  for (const [state, row] of Object.entries(EXPECTED)) {
    for (const [at, cell] of row.split('|').entries()) {
      it(`on ${EVENTS[at]} while ${state}: ${cell}`, () => {
        const next = (hasSocket: boolean) => nextLineState(state as LineState, EVENTS[at]!, hasSocket) ?? '-'

        expect([...new Set([next(true), next(false)])].join(' or ')).toBe(cell)
      })
    }
  }
})
