import { describe, expect, it } from 'vitest'
import { describeObserved, findingsOf } from './describe-observed.ts'
import type { Observed } from './observation.ts'

/** What a sound endpoint delivers in ten seconds. */
const SOUND: Observed = {
  messages: 1_000,
  transactions: 500,
  unreadable: 0,
  ends: 25,
  confirmations: 25,
  blocks: 25,
  firstSlot: 1_000,
  lastSlot: 1_024,
  missedSlots: 0,
  events: new Map([
    ['raydium', { swaps: 1, newPairs: 0 }],
    ['pumpfun', { swaps: 1_200, newPairs: 2 }],
  ]),
  decoderFaults: 0,
  lag: { usualMs: 900, longestMs: 1_440 },
  chainSeconds: 10,
  passedSeconds: 9.6,
}

describe('the description of an endpoint', () => {
  it('lists what arrived, in sentences, the busiest exchange first', () => {
    expect(describeObserved(SOUND, 10, 'parts')).toEqual([
      'In 10 seconds it gave 25 whole blocks, slots 1,000 to 1,024, one slot every 400 ms.',
      'Blocks arrived typically 0.9 s late, at most 1.4 s.',
      'They contained 500 transactions of decoded programs:',
      '  pumpfun: 1,200 swaps, 2 new pairs',
      '  raydium: 1 swap, 0 new pairs',
    ])
    expect(findingsOf(SOUND, 10, 'parts')).toEqual([])
  })

  it.each([
    [{ messages: 0 }, /^It sent nothing in 10 seconds\.$/],
    [{ ends: 0, blocks: 0 }, /^It sends no block metas/],
    [{ blocks: 0 }, /^No block was complete within 10 seconds\.$/],
    // It can be slightly behind and fall back for ever.
    [
      { chainSeconds: 4 },
      /^It is too slow: in 10 seconds it delivered 4 seconds of the chain, so it falls further/,
    ],
  ])('reports that it cannot be used: %o', (part, sentence) => {
    const [finding] = findingsOf({ ...SOUND, ...part }, 10, 'parts')

    expect(finding).toEqual({ isFatal: true, sentence: expect.stringMatching(sentence) })
  })

  it.each([
    [
      { lag: { usualMs: 12_300, longestMs: 20_000 } },
      /^Blocks arrive 12\.3 s late: the endpoint lags, or this/,
    ],
    [
      { lag: { usualMs: -60_000, longestMs: 0 } },
      /^Blocks arrive before their own time: this machine’s clock/,
    ],
    [
      { confirmations: 0 },
      /^It never says that a slot is confirmed. The service then reads it at commitment confirmed/,
    ],
    [{ transactions: 0 }, /^No transaction of a known program arrived/],
    [{ missedSlots: 3 }, /^Part of 3 slots was missing; the service fetches such slots again\.$/],
    [{ unreadable: 1 }, /^1 message could not be read\.$/],
    [{ decoderFaults: 2 }, /^A decoder failed on 2 transactions\.$/],
  ])('reports what it lacks while it can be used: %o', (part, sentence) => {
    expect(findingsOf({ ...SOUND, ...part }, 10, 'parts')).toEqual([
      { isFatal: false, sentence: expect.stringMatching(sentence) },
    ])
  })

  it('expects no confirmations and no block metas with whole blocks', () => {
    expect(findingsOf({ ...SOUND, confirmations: 0 }, 10, 'whole')).toEqual([])
  })
})
