import { describe, expect, it } from 'vitest'
import { nextState } from './publisher-states.ts'

describe('the table of publisher states', () => {
  describe('for a publisher among others', () => {
    it.each([
      ['standby', 'found', 'standby'],
      ['standby', 'silence', 'looking'],
      ['standby', 'rival', 'standby'],
      ['standby', 'failed', 'standby'],
      ['looking', 'found', 'publishing'],
      ['looking', 'silence', 'looking'],
      ['looking', 'rival', 'standby'],
      ['looking', 'failed', 'looking'],
      ['publishing', 'found', 'publishing'],
      ['publishing', 'silence', 'publishing'],
      ['publishing', 'rival', 'standby'],
      ['publishing', 'failed', 'looking'],
    ] as const)('%s with %s leads to %s', (state, event, wanted) => {
      expect(nextState(state, event, false)).toBe(wanted)
    })
  })

  describe('for a single publisher', () => {
    it.each([
      ['standby', 'found', 'standby'],
      ['standby', 'silence', 'looking'],
      ['standby', 'rival', 'standby'],
      ['standby', 'failed', 'standby'],
      ['looking', 'found', 'publishing'],
      ['looking', 'silence', 'looking'],
      ['looking', 'rival', 'looking'],
      ['looking', 'failed', 'looking'],
      ['publishing', 'found', 'publishing'],
      ['publishing', 'silence', 'publishing'],
      ['publishing', 'rival', 'looking'],
      ['publishing', 'failed', 'looking'],
    ] as const)('%s with %s leads to %s', (state, event, wanted) => {
      expect(nextState(state, event, true)).toBe(wanted)
    })
  })
})
