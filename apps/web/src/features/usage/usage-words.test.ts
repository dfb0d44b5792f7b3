import type { Connections, UsageDay } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { stripSentence } from './connection-strip.tsx'
import { clientName, missingWords } from './connections-panel.tsx'
import { chartSentence } from './day-chart.tsx'

const at = '2026-11-20T12:00:00.000Z'
const aDay = (day: string, over: Partial<UsageDay> = {}): UsageDay => ({
  day,
  newPairs: 0,
  buys: 0,
  sells: 0,
  ...over,
})
const withSpans = (...spans: Connections['spans']): Connections => ({ at, open: [], closed: [], spans })

describe('the sentences of the usage pictures', () => {
  it('state the sums and the busiest day', () => {
    const days = [
      aDay('2026-11-18', { buys: 1_000, sells: 2_000 }),
      aDay('2026-11-19', { buys: 3_000, newPairs: 7 }),
      aDay('2026-11-20', { sells: 3_001 }),
    ]

    expect(chartSentence(days)).toBe(
      'The last 3 days: 4,000 buys, 5,001 sells and 7 new pairs; most on 20 Nov.',
    )
  })

  it('name no busiest day when there was none', () => {
    expect(chartSentence([aDay('2026-11-20')])).toBe('The last 1 day: 0 buys, 0 sells and 0 new pairs.')
  })

  it('name one of each in the singular', () => {
    const days = [aDay('2026-11-19'), aDay('2026-11-20', { buys: 1, sells: 1, newPairs: 1 })]

    expect(chartSentence(days)).toBe('The last 2 days: 1 buy, 1 sell and 1 new pair; most on 20 Nov.')
  })

  it('state for how long a client was connected', () => {
    const morning = { from: '2026-11-20T08:00:00Z', to: '2026-11-20T09:00:00Z' }
    const noon = { from: '2026-11-20T11:30:00Z', to: at }

    expect(stripSentence(withSpans())).toBe('Not connected in the last 24 hours; 0 open now.')
    expect(stripSentence(withSpans(noon))).toBe(
      'Connected for 30m 00s of the last 24 hours at one stretch; 0 open now.',
    )
    expect(stripSentence(withSpans(morning, noon))).toBe(
      'Connected for 1h 30m of the last 24 hours in 2 stretches; 0 open now.',
    )
  })
})

describe('a connection in words', () => {
  it('shows only the name of the program', () => {
    const names = ['Go-http-client/1.1', 'Mozilla/5.0 (X11) Chrome/156', 'bot/1.2 (by me)', '']

    expect(names.map(clientName)).toEqual(['Go-http-client/1.1', 'Browser', 'bot/1.2', 'Unnamed client'])
  })

  it('says whose answer is missing, and nothing when all have answered', () => {
    const without = (...missing: string[]) => missingWords({ ...withSpans(), missing })

    expect(missingWords(withSpans())).toBeUndefined()
    expect(without('gateway 2 of 3')).toBe('Gateway 2 of 3 does not answer: connections on it are not shown.')
    expect(without('gateway 1 of 3', 'gateway 3 of 3')).toBe(
      'Gateway 1 of 3 and gateway 3 of 3 do not answer: connections on them are not shown.',
    )
  })
})
