import { MINUTE_MS } from '@pairwire/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLeases } from './leases.ts'

describe('a lease', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Two processes with the leases of one database, which can be away. */
  function twoProcesses() {
    const held = new Map<string, { owner: string; until: number }>()
    const state = { isAway: false }
    const accounts = {
      takeLease: async (work: string, owner: string, forMs: number) => {
        if (state.isAway) throw new Error('The database is away.')
        const lease = held.get(work)
        if (lease && lease.owner !== owner && lease.until > Date.now()) return false
        held.set(work, { owner, until: Date.now() + forMs })
        return true
      },
      freeLease: async () => {},
    }
    return { one: createLeases(accounts), other: createLeases(accounts), state }
  }

  // Guards backups and sums, which may take longer than a lease lasts.
  it('is kept by the process that has it for as long as it works, also if the database is away for a moment', async () => {
    const { one, other, state } = twoProcesses()
    const did: string[] = []
    let end = () => {}
    const working = one.have('sums', () => new Promise((resolve) => (end = resolve)))

    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS)
    state.isAway = true
    await vi.advanceTimersByTimeAsync(MINUTE_MS / 2)
    state.isAway = false
    await other.have('sums', async () => void did.push('too early'))
    await vi.advanceTimersByTimeAsync(MINUTE_MS / 2)
    end()
    await working
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    await other.have('sums', async () => void did.push('in time'))

    expect(did).toEqual(['in time'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not renewed once its work has failed', async () => {
    const { one } = twoProcesses()

    await expect(one.have('sums', () => Promise.reject(new Error('No.')))).rejects.toThrow('No.')

    expect(vi.getTimerCount()).toBe(0)
  })
})
