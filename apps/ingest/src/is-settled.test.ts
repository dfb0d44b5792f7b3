import type { LiveEndpoint } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { isSettled } from './is-settled.ts'

/** The state of a source whose endpoints are in these states. */
const sourceOf = (...states: LiveEndpoint['state'][]) => ({
  sourceUp: states.includes('connected'),
  source: { endpoints: states.map((state) => ({ state })) } as never,
})

describe('isSettled', () => {
  it('waits for the first block of a connected source, but not for ever', () => {
    const source = sourceOf('connected', 'resting')

    expect(isSettled({ blocks: 0, ...source }, 14_999)).toBe(false)
    expect(isSettled({ blocks: 1, ...source }, 300)).toBe(true)
    expect(isSettled({ blocks: 0, ...source }, 15_000)).toBe(true)
  })

  it('also waits for one that is connecting, and never for one that is away', () => {
    // Program logs next to a connecting source are never read.
    expect(isSettled({ blocks: 0, ...sourceOf('connecting', 'resting') }, 14_999)).toBe(false)
    expect(isSettled({ blocks: 0, ...sourceOf('connecting') }, 15_000)).toBe(true)
    expect(isSettled({ blocks: 0, ...sourceOf('resting', 'resting') }, 0)).toBe(true)
  })
})
