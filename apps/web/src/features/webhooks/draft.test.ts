import { describe, expect, it } from 'vitest'
import { draftOf, newDraft, readDraft } from './draft.ts'

const REQUEST = '{"id":1,"method":"swapSubscribe","params":{"include":{"usdValue":10000}}}'

describe('the form of an endpoint', () => {
  it('is the body of the call, with the params of the console’s request', () => {
    expect(readDraft({ ...newDraft(REQUEST), url: ' https://hooks.example/ ' })).toEqual({
      url: 'https://hooks.example/',
      kind: 'swap',
      params: { include: { usdValue: 10_000 } },
      maxEvents: 25,
      maxWaitMs: 250,
    })
  })

  it('shows an endpoint as the request that it is made of', () => {
    const endpoint = {
      url: 'https://hooks.example/',
      kind: 'newPair',
      params: { stage: ['launched'] },
    } as const
    const draft = draftOf({ ...endpoint, maxEvents: 1, maxWaitMs: 0 } as never)

    expect(readDraft(draft)).toEqual({ ...endpoint, maxEvents: 1, maxWaitMs: 0 })
  })

  it.each([
    ['', REQUEST, 'url'],
    ['https://hooks.example/', '{"method":', 'text'],
    ['https://hooks.example/', '[]', 'text'],
    ['https://hooks.example/', 'null', 'text'],
    ['https://hooks.example/', '{"method":"latestBlockSubscribe"}', 'text'],
    ['https://hooks.example/', '{"params":{}}', 'text'],
  ])('names the field at fault: address %j, request %s', (url, text, field) => {
    expect(readDraft({ ...newDraft(text), url })).toMatchObject({ field })
  })
})
