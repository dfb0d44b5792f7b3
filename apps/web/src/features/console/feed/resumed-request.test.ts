import { describe, expect, it } from 'vitest'
import { resumedRequest, subscribedKind } from './resumed-request.ts'

describe('resumed request', () => {
  it('requests the same, from the cursor on, replacing an earlier cursor', () => {
    const params = '{"include":{"usdValue":5},"resume_from":"c1"}'

    expect(JSON.parse(resumedRequest({ kind: 'swap', params }, 'c7'))).toEqual({
      id: 2,
      method: 'swapSubscribe',
      params: { include: { usdValue: 5 }, resume_from: 'c7' },
    })
  })

  it.each([
    ['{"method":"swapSubscribe"}', 'swap'],
    [' {"params":{"a":1},"method":"newPairSubscribe"}', 'newPair'],
    ['{"method":"latestBlockSubscribe"}', undefined],
    ['{"method":"swapUnsubscribe"}', undefined],
    ['{"method":"swapSubscribe","params":[]}', undefined],
    ['{"method":"swapSubscribe","params":"all"}', undefined],
    ['[{"method":"swapSubscribe"}]', undefined],
    ['{"method":"swapSubscribe"}{"method":"newPairSubscribe"}', undefined],
    ['{ not json', undefined],
    ['null', undefined],
    ['', undefined],
  ])('for %j is one of kind %s', (request, kind) => {
    expect(subscribedKind(request)).toBe(kind)
  })
})
