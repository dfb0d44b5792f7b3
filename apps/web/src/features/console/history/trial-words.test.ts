import type { FilterTrial } from '@pairwire/contract/history-trial'
import { describe, expect, it } from 'vitest'
import { trialWords } from './trial-words.ts'

const newPairs = { id: 1, name: 'NewPairs Only', allowed: true, reason: null, share: 864 }
const basic = { id: 2, name: 'Basic', allowed: true, reason: null, share: null }
const trial: FilterTrial = {
  ...{ from: '2026-11-20T18:00:00Z', to: '2026-11-20T19:00:00Z', matched: 1_204, total: 3_611_220 },
  byHour: [{ hour: '20261120-180000', matched: 1_204, total: 3_611_220 }],
  ...{ busiestMinute: null, perMonth: 866_880, sample: [], plans: [newPairs, basic], cheapest: 2 },
}

describe('the result of a trial in words', () => {
  it('gives the share of the events, the month, when the plan would end, and the plan that suffices', () => {
    expect(trialWords(trial, 'swaps', 'NewPairs Only')).toBe(
      '1,204 of 3,611,220 swaps in the last hour, about 870,000 a month. NewPairs Only would end after 50 minutes; Basic allows it.',
    )
  })

  it('names only the own plan if it suffices', () => {
    expect(trialWords(trial, 'swaps', 'Basic')).toMatch(/ a month\. Basic allows it\.$/)
  })

  it('says why the plan refuses, and when none suffices', () => {
    const refusing = { ...newPairs, allowed: false, reason: 'It needs a filter.', share: null }

    expect(trialWords({ ...trial, plans: [refusing], cheapest: null }, 'swaps', undefined)).toMatch(
      / NewPairs Only refuses it \(It needs a filter\); no plan allows it\.$/,
    )
  })

  it.each([
    [21_600, '2 minutes'],
    [43_200, '1 minute'],
    [2, '15 days'],
    [10, '3 days'],
    [100, '7 hours'],
  ])('says that a plan exceeded %d times by a month ends after %s', (share, words) => {
    expect(trialWords({ ...trial, plans: [{ ...newPairs, share }] }, 'swaps', undefined)).toContain(
      `would end after ${words};`,
    )
  })

  it('counts the hours examined', () => {
    const byHour = Array.from({ length: 24 }, () => trial.byHour[0]!)

    expect(trialWords({ ...trial, byHour }, 'new pairs', 'Basic')).toContain(
      'new pairs in the last 24 hours,',
    )
  })
})
