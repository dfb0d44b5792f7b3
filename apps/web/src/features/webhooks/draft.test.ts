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

  it('takes no other kind for an endpoint that exists, whose params alone can change', () => {
    const draft = { ...newDraft(REQUEST), url: 'https://hooks.example/' }
    expect(readDraft(draft, 'swap')).toMatchObject({ kind: 'swap' })
    expect(readDraft(draft, 'newPair')).toEqual({
      field: 'text',
      words: 'This endpoint takes a newPairSubscribe. Create another one for this.',
    })
  })

  it.each([
    ['maxEvents', '', 'Enter a whole number from 1 to 100.'],
    ['maxEvents', '0', 'Enter a whole number from 1 to 100.'],
    ['maxEvents', '2.5', 'Enter a whole number from 1 to 100.'],
    ['maxWaitMs', '5001', 'Enter a whole number from 0 to 5,000.'],
  ])('says at its field which numbers it takes: %s %j', (field, text, words) => {
    const draft = { ...newDraft(REQUEST), url: 'https://hooks.example/', [field]: text }
    expect(readDraft(draft)).toEqual({ field, words })
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
