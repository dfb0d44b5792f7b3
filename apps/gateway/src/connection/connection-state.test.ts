import { describe, expect, it } from 'vitest'
import { createConnectionState } from './connection-state.ts'

type State = ReturnType<typeof createConnectionState>
type Phase = ReturnType<State['phase']>
type Input = Parameters<State['on']>[0]
type Action = ReturnType<State['on']>

/** The inputs that bring a new connection into each phase. */
const INTO: Readonly<Record<Phase, readonly Input[]>> = {
  open: [],
  draining: ['end'],
  closing: ['clientCloses'],
  closed: ['gone'],
}

/** The action of each cell of the table, with the next phase if it changes. */
const CELLS: Readonly<Record<Phase, Readonly<Record<Input, Action | readonly [Action, Phase]>>>> = {
  open: {
    frame: 'serve',
    ping: 'answerPing',
    pong: 'noteLife',
    clientCloses: ['letGo', 'closing'],
    moved: 'noteReading',
    end: ['sayGoodbye', 'draining'],
    taken: 'nothing',
    gone: ['letGo', 'closed'],
  },
  draining: {
    frame: 'overhear',
    ping: 'answerLastPing',
    pong: 'wait',
    clientCloses: ['letGo', 'closing'],
    moved: 'wait',
    end: 'nothing',
    taken: ['hangUp', 'closing'],
    gone: ['letGo', 'closed'],
  },
  closing: {
    frame: 'overhear',
    ping: 'overhear',
    pong: 'wait',
    clientCloses: 'letGo',
    moved: 'wait',
    end: 'nothing',
    taken: 'nothing',
    gone: ['letGo', 'closed'],
  },
  closed: {
    frame: 'overhear',
    ping: 'overhear',
    pong: 'nothing',
    clientCloses: 'nothing',
    moved: 'nothing',
    end: 'nothing',
    taken: 'nothing',
    gone: 'nothing',
  },
}

describe.each(Object.entries(CELLS))('a connection that is %s', (name, cells) => {
  const phase = name as Phase // a key of the table

  it.each(Object.entries(cells))('on %s: %s', (input, cell) => {
    const [action, next] = typeof cell === 'string' ? [cell, phase] : cell
    const state = createConnectionState()
    for (const step of INTO[phase]) state.on(step)

    expect(state.phase()).toBe(phase)
    expect(state.on(input as Input)).toBe(action) // a key of the table
    expect(state.phase()).toBe(next)
  })
})
