import { planById } from '@pairwire/contract/plans'
import { describe, expect, it } from 'vitest'
import { docsPage } from '../feed/refusal.ts'
import { filterUpdate } from './filter-update.ts'
import { requestFix } from './request-fix.ts'

const FACTS = {
  plan: planById(2),
  subscriptions: [{ id: 7, kind: 'swap', params: '{}', received: 0, perSecond: 0 }],
} as const
const fixed = (errorType: string, request: unknown, oldest = '') => {
  const text = typeof request === 'string' ? request : JSON.stringify(request)
  const fix = requestFix(text, { errorType, docs: '', oldest }, FACTS)
  return fix && JSON.parse(fix.text)
}
const aRequest = (params?: object) => ({ id: 1, method: 'swapSubscribe', ...(params && { params }) })

describe('request fix', () => {
  it.each<[string, unknown, unknown]>([
    ['UNKNOWN_METHOD', { method: 'swapSubscrib' }, { method: 'swapSubscribe' }],
    ['BATCH', [aRequest(), aRequest()], aRequest()],
    [
      'FILTER_OUTSIDE_PARAMS',
      { ...aRequest(), walletAccount: ['w'] },
      aRequest({ include: { walletAccount: ['w'] } }),
    ],
    [
      'FILTER_OUTSIDE_PARAMS',
      { ...aRequest(), include: { usdValue: 1 } },
      aRequest({ include: { usdValue: 1 } }),
    ],
    [
      'FILTER_OUTSIDE_INCLUDE',
      aRequest({ baseTokenMint: ['m'], match: 'all' }),
      aRequest({ match: 'all', include: { baseTokenMint: ['m'] } }),
    ],
    [
      'NOT_A_LIST',
      aRequest({ include: { walletAccount: 'w' } }),
      aRequest({ include: { walletAccount: ['w'] } }),
    ],
    [
      'EMPTY_LIST',
      aRequest({ include: { walletAccount: [], usdValue: 5 } }),
      aRequest({ include: { usdValue: 5 } }),
    ],
    ['EMPTY_LIST', aRequest({ include: { walletAccount: [] } }), aRequest({})],
    [
      'INVALID_USD_VALUE',
      aRequest({ include: { USDValue: '$10,000' } }),
      aRequest({ include: { USDValue: 10_000 } }),
    ],
    ['FILTER_REQUIRED', aRequest(), aRequest({ include: { usdValue: 10_000 } })],
    [
      'FILTER_TOO_LARGE',
      aRequest({ include: { walletAccount: [...'abcdefgh'], baseTokenMint: [...'ijkl'] } }),
      aRequest({ include: { walletAccount: [...'abcdefgh'], baseTokenMint: ['i', 'j'] } }),
    ],
    [
      'ALREADY_SUBSCRIBED',
      aRequest({ include: { usdValue: 9 } }),
      {
        id: 1,
        method: 'updateSubscriptionParams',
        params: { subscription_id: 7, params: { include: { usdValue: 9 } } },
      },
    ],
    ['NOT_JSON', '{"id": 1 "method": "ping",}', { id: 1, method: 'ping' }],
    ['NOT_JSON', '{"a": [1, 2', { a: [1, 2] }],
  ])('for %s turns %j into an accepted request', (errorType, request, expected) => {
    expect(fixed(errorType, request)).toEqual(expected)
  })

  it('resumes from the oldest cursor kept', () => {
    expect(fixed('CURSOR_TOO_OLD', aRequest({ resume_from: 'a' }), 'b')).toEqual(
      aRequest({ resume_from: 'b' }),
    )
  })

  it.each<[string, unknown]>([
    ['INVALID_ADDRESS', aRequest({ include: { walletAccount: ['?'] } })],
    ['INVALID_USD_VALUE', aRequest({ include: { usdValue: 'many' } })],
    ['UNKNOWN_METHOD', { method: 'completelyDifferent' }],
    ['NOT_A_LIST', aRequest({ include: { walletAccount: ['w'] } })],
    ['NOT_JSON', 'hello there'],
    ['ALREADY_SUBSCRIBED', { method: 'newPairSubscribe' }],
    ['CURSOR_TOO_OLD', aRequest()],
    ['', aRequest()],
    ['EMPTY_LIST', 'null'],
  ])('for %s leaves %j to the person', (errorType, request) => {
    expect(fixed(errorType, request)).toBeUndefined()
  })
})

describe('filter update', () => {
  it('updates the subscription of the same commitment', () => {
    const one = { kind: 'swap', received: 0, perSecond: 0 } as const
    const open = [
      { ...one, id: 1, params: '{}' },
      { ...one, id: 2, params: '{"commitment":"processed"}' },
    ]
    const idFor = (commitment?: string) => {
      const text = JSON.stringify({ method: 'swapSubscribe', params: { commitment } })
      return JSON.parse(filterUpdate(text, open)!).params.subscription_id
    }

    expect([idFor(), idFor('confirmed'), idFor('processed')]).toEqual([1, 1, 2])
    expect(
      filterUpdate('{"method":"swapSubscribe","params":{"commitment":"processed"}}', [open[0]!]),
    ).toBeUndefined()
  })

  it('omits from an update what it may not change', () => {
    const text = JSON.stringify(aRequest({ commitment: 'confirmed', resume_from: 'x', swapType: ['buy'] }))

    expect(JSON.parse(filterUpdate(text, FACTS.subscriptions)!).params).toEqual({
      subscription_id: 7,
      params: { swapType: ['buy'] },
    })
  })
})

describe('the page of a refusal', () => {
  it.each([
    ['https://example.com/errors/empty-list', true],
    ['http://localhost:8080/docs', true],
    ['javascript:alert(1)', false],
    ['/docs', false],
    ['', false],
  ])('%j is a link: %j', (docs, isLink) => {
    expect(docsPage({ errorType: 'EMPTY_LIST', docs, oldest: '' })).toBe(isLink ? docs : undefined)
  })
})
