import type { Webhook } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { adviceWords, endpointWords } from './webhook-words.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const anEndpoint = (changes: Partial<Webhook> = {}): Webhook => ({
  ...{ id: 'wh_1', url: 'https://hooks.example/', kind: 'swap', params: {}, maxEvents: 25, maxWaitMs: 250 },
  ...{ state: 'on', createdAt: '2026-11-20T11:00:00Z', lastAttempt: null, behindMs: 0 },
  counters: { delivered: 0, events: 0, failed: 0, deadLetters: 0 },
  ...changes,
})

describe('the words of an endpoint', () => {
  it('say what was taken, the last try and the place in the stream', () => {
    const lastAttempt = { at: '2026-11-20T11:59:48Z', status: 200, ms: 34, error: null }
    const counters = { delivered: 48, events: 1_204, failed: 1, deadLetters: 0 }

    expect(endpointWords(anEndpoint({ counters, lastAttempt }), NOW)).toBe(
      '1,204 events in 48 messages · 1 try failed · last answer 200 after 34 ms, 12s ago · level with the stream',
    )
    expect(
      endpointWords(anEndpoint({ lastAttempt: { ...lastAttempt, status: null }, behindMs: 61_000 }), NOW),
    ).toBe('0 events in 0 messages · last answer none after 34 ms, 12s ago · 1m 01s behind')
    expect(endpointWords(anEndpoint(), NOW)).toMatch(/nothing sent yet/)
  })

  it('advise larger messages to one that answers and is behind, unless it takes the largest', () => {
    const lastAttempt = { at: '2026-11-20T11:59:58Z', status: 200, ms: 34, error: null }
    const behind = { behindMs: 60_000, lastAttempt }
    const words = (changes: Partial<Webhook>) => adviceWords(anEndpoint(changes), NOW)
    expect(words(behind)).toMatch(/Raise the events in a message/)
    expect(words({ ...behind, state: 'failing' })).toBeUndefined()
    expect(words({ ...behind, maxEvents: 100 })).toBeUndefined()
    expect(words({ ...behind, state: 'stopped' })).toMatch(/Resume/)
    expect(words({ ...behind, behindMs: 900 })).toBeUndefined()
  })

  it('advise no larger messages to one that got none lately, but say when endpoints wait', () => {
    const lastAttempt = { at: '2026-11-20T11:00:00Z', status: 200, ms: 34, error: null }
    for (const last of [lastAttempt, null]) {
      const endpoint = anEndpoint({ behindMs: 3_600_000, lastAttempt: last })
      expect(adviceWords(endpoint, NOW)).toMatch(
        /wait while a plan has ended, its events are used up or the account is suspended/,
      )
    }
  })
})
