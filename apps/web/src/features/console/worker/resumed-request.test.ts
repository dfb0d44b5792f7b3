import { describe, expect, it } from 'vitest'
import { examplesOf } from '../examples.ts'
import { resumedRequest, subscribedKind } from './resumed-request.ts'

describe('resumed request', () => {
  it.each([
    ['{"method":"swapSubscribe"}', '{"params":{"resume_from":"c7"},"method":"swapSubscribe"}'],
    ['{"method":"swapSubscribe","params":null}', '{"method":"swapSubscribe","params":{"resume_from":"c7"}}'],
    [
      ' {"params" : { }, "method":"swapSubscribe"}\n',
      ' {"params" : {"resume_from":"c7" }, "method":"swapSubscribe"}\n',
    ],
    ['{"params":{\n  "include":{"params":1}}}', '{"params":{"resume_from":"c7",\n  "include":{"params":1}}}'],
    ['{"params":{"resume_from" : "c1","a":1}}', '{"params":{"resume_from" : "c7","a":1}}'],
    ['{"params":{"resume_from":[{}],"a":1}}', '{"params":{"resume_from":"c7","a":1}}'],
    ['{"a":{"params":{}},"params":{"a":"}"}}', '{"a":{"params":{}},"params":{"resume_from":"c7","a":"}"}}'],
    ['{"params":{},"\\u0070arams":{}}', '{"params":{},"\\u0070arams":{"resume_from":"c7"}}'],
  ])('is %j with the cursor in its params and nothing else touched', (request, resumed) => {
    expect(resumedRequest(request, 'c7')).toBe(resumed)
  })

  it('keeps every digit and the order of what was typed', () => {
    const request = '{"id":18446744073709551615,"params":{"b":1.50,"a":[]},"method":"swapSubscribe"}'

    const resumed = resumedRequest(request, 'c7')

    expect(resumed.replace('"resume_from":"c7",', '')).toBe(request)
  })

  it.each(examplesOf().filter(({ text }) => subscribedKind(text)))(
    'asks for the same as the example $label, from the cursor on',
    ({ text }) => {
      const { params, ...rest } = JSON.parse(text)

      expect(JSON.parse(resumedRequest(text, 'c7'))).toEqual({
        ...rest,
        params: { ...params, resume_from: 'c7' },
      })
    },
  )

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
  ])('of %j is one of kind %s', (request, kind) => {
    expect(subscribedKind(request)).toBe(kind)
  })
})
