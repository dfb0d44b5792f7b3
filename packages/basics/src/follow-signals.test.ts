import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { followSignals } from './follow-signals.ts'

describe('a controller that follows signals', () => {
  it('aborts with the first of them, and with its reason', () => {
    const [first, second] = [new AbortController(), new AbortController()]
    const following = followSignals(first.signal, second.signal)
    expect(following.signal.aborted).toBe(false)

    second.abort('enough')
    first.abort('late')

    expect(following.signal.reason).toBe('enough')
  })

  it('is aborted from the start if one of them is', () => {
    expect(followSignals(new AbortController().signal, AbortSignal.abort('gone')).signal.reason).toBe('gone')
  })

  // Guards the memory of a service that sends requests to an endpoint ten times a second for months.
  it('leaves no listener on a long-lived signal', () => {
    const long = new AbortController()
    for (let i = 0; i < 100; i++) followSignals(long.signal).abort()
    followSignals(long.signal, AbortSignal.abort())

    expect(getEventListeners(long.signal, 'abort')).toEqual([])
  })
})
