import { describe, expect, it } from 'vitest'
import { STREAM_STATES, type StreamFacts, stateWords, streamState } from './stream-states.ts'

const FACTS: StreamFacts = { connection: 'streaming', isHeld: false, quietSeconds: 0, isOnline: true }

describe('stream states', () => {
  it.each<[Partial<StreamFacts>, string]>([
    [{ connection: 'stopped', quietSeconds: null }, 'Stopped'],
    [{ connection: 'connecting', quietSeconds: null }, 'Connecting'],
    [{}, 'Streaming'],
    [{ quietSeconds: 1 }, 'Streaming'],
    [{ isHeld: true }, 'Streaming'],
    [{ quietSeconds: 2 }, 'Quiet for 2 s'],
    [{ quietSeconds: 9, isHeld: true }, 'Quiet for 9 s'],
    [{ quietSeconds: 10 }, 'Stalled'],
    [{ quietSeconds: 4_000 }, 'Stalled'],
    [{ connection: 'closed', quietSeconds: null }, 'Closed'],
    [{ connection: 'closed', quietSeconds: null, isOnline: false }, 'Offline'],
    [{ quietSeconds: 2, isOnline: false }, 'Offline'],
    [{ quietSeconds: 1, isOnline: false }, 'Streaming'],
  ])('%j is %s', (facts, words) => {
    const state = streamState({ ...FACTS, ...facts })

    expect(stateWords(state, facts.quietSeconds ?? 0)).toBe(words)
  })

  it('colours the wire only while blocks arrive, and crosses out only unintended states', () => {
    const names = Object.entries(STREAM_STATES)

    expect(names.filter(([, { isLive }]) => isLive).map(([name]) => name)).toEqual([
      'Streaming',
      'Held',
      'Quiet',
    ])
    expect(names.filter(([, { shape }]) => shape === 'cross').map(([name]) => name)).toEqual([
      'Offline',
      'Closed',
    ])
  })
})
