import { HOUR_MS } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { type AnswerClass, classOf, outcomeOf, type Tried } from './answer-table.ts'

const NOW = Date.UTC(2026, 10, 27)

const tried = (over: Partial<Tried>): Tried => ({
  ...{
    status: 200,
    body: 'no',
    tries: 0,
    refusals: 0,
    failingSince: null,
    notedAt: 0,
    now: NOW,
    random: 0.5,
  },
  ...over,
})
const waitOf = (over: Partial<Tried>) => {
  const outcome = outcomeOf(tried(over))
  return outcome.is === 'again' ? outcome.nextTryAt.getTime() - NOW : outcome.is
}

describe('an answer', () => {
  it.each<[AnswerClass, (number | null)[]]>([
    ['taken', [200, 201, 202, 204, 299]],
    ['later', [null, 408, 425, 429, 500, 502, 503, 504, 599]],
    ['refused', [300, 301, 302, 307, 308, 400, 401, 403, 404, 405, 413, 422, 451]],
    ['gone', [410]],
  ])('means %s for %j', (meaning, statuses) => {
    for (const status of statuses) expect(classOf(status), String(status)).toBe(meaning)
  })
})

describe('the table of answers', () => {
  it('takes a message at 2xx, and stops at 410', () => {
    expect(outcomeOf(tried({}))).toEqual({ is: 'taken' })
    expect(outcomeOf(tried({ status: 410 }))).toEqual({ is: 'stop' })
  })

  it('waits 1 s, 5 s, 30 s, 2, 10, 30 min and then an hour each where another try may help', () => {
    const waits = Array.from({ length: 9 }, (_, tries) => waitOf({ status: 503, tries }))
    expect(waits).toEqual([1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, HOUR_MS, HOUR_MS, HOUR_MS])
  })

  it('differs by a fifth at most, so that endpoints of one receiver do not come at once', () => {
    expect(waitOf({ status: null, random: 0 })).toBe(800)
    expect(waitOf({ status: null, random: 1 })).toBe(1_200)
    expect(waitOf({ status: null, tries: 20, random: 1 })).toBe(1.2 * HOUR_MS)
  })

  it('waits at least as long as Retry-After says, up to an hour', () => {
    expect(waitOf({ status: 429, retryAfterMs: 20_000 })).toBe(20_000)
    expect(waitOf({ status: 429, retryAfterMs: 100 })).toBe(1_000)
    expect(waitOf({ status: 503, retryAfterMs: 9 * HOUR_MS })).toBe(HOUR_MS)
  })

  it('makes a refused message a dead letter at the sixth refusal, 13 minutes after the first', () => {
    const waits = Array.from({ length: 5 }, (_, refusals) => waitOf({ status: 400, refusals, tries: 30 }))
    expect(waits.reduce<number>((sum, wait) => sum + Number(wait), 0)).toBe(756_000)
    expect(outcomeOf(tried({ status: 404, refusals: 5, body: 'why' }))).toEqual({
      ...{ is: 'dead', status: 404, body: 'why' },
    })
  })

  it('asks for a mail once nothing was taken for an hour, and stops after a day', () => {
    const after = (ms: number) => outcomeOf(tried({ status: null, tries: 25, failingSince: NOW - ms }))
    expect(after(HOUR_MS - 1)).toMatchObject({ is: 'again', mail: undefined })
    expect(after(HOUR_MS)).toMatchObject({ is: 'again', mail: 'webhook_failing' })
    expect(after(24 * HOUR_MS - 1)).toMatchObject({ is: 'again' })
    expect(after(24 * HOUR_MS)).toEqual({ is: 'stop' })
  })

  it('stops after a day of one message, not at the first failure of one that was noted long after another failed', () => {
    const failed = { status: 503, tries: 25, failingSince: NOW - 48 * HOUR_MS }
    expect(outcomeOf(tried({ ...failed, notedAt: NOW - HOUR_MS }))).toMatchObject({ is: 'again' })
    expect(outcomeOf(tried({ ...failed, notedAt: NOW - 24 * HOUR_MS }))).toEqual({ is: 'stop' })
  })

  it('is not misled by a clock that was set back', () => {
    expect(outcomeOf(tried({ status: 500, failingSince: NOW + 48 * HOUR_MS }))).toMatchObject({ is: 'again' })
  })
})
