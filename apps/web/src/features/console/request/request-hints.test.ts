import { isAddress } from '@pairwire/contract/base58'
import { describe, expect, it } from 'vitest'
import type { Row } from '../feed/row.ts'
import { exampleFor, examplesOf, tradedNow } from './examples.ts'
import { readParamsFault } from './params-fault.ts'
import { planFault, requestHints } from './request-hints.ts'

const words = (text: string, plan?: string) =>
  requestHints(text, plan, false, readParamsFault).map(
    (hint) => hint.words + (hint.code ? ` ${hint.code}` : ''),
  )
const swaps = (include: unknown) => JSON.stringify({ method: 'swapSubscribe', params: { include } })

const MINT = 'So11111111111111111111111111111111111111112'
const EXAMPLES = examplesOf()

describe('request hints', () => {
  it('name the method of valid JSON', () => {
    expect(words('{"method":"swapSubscribe"}')).toEqual(['Valid JSON, swapSubscribe'])
  })

  it('name line, column and what was expected', () => {
    expect(words('{\n  "id": 1,\n  "a" 1\n}')).toEqual([
      'Line 3, column 7: a colon is missing. You can still send it.',
    ])
    expect(words('{"id":1 "method":2}')).toEqual([
      'Line 1, column 9: a comma is missing. You can still send it.',
    ])
  })

  it('say that a text is nested too deeply to be formatted', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

    expect(words(nested(100))).toEqual(['Valid JSON without a method.'])
    expect(words(nested(101))).toEqual(['Nested too deeply to format. You can send it.'])
  })

  it('warn of a mainnet address in an example when the chain is made up', () => {
    const told = (text: string, isSimulated: boolean) =>
      requestHints(text, undefined, isSimulated).some(({ words }) => words.includes('mainnet'))
    const [pairs, all, byToken, byWallet] = EXAMPLES.map(({ text }) => text)

    expect([pairs, all, byToken, byWallet].map((text) => told(text!, true))).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(told(byToken!, false)).toBe(false)
    expect(told(examplesOf({ mint: 'Traded', wallet: 'Now' })[2]!.text, true)).toBe(false)
  })

  it('explain early events, and an unknown commitment', () => {
    const subscribe = (commitment: string) =>
      words(JSON.stringify({ method: 'swapSubscribe', params: { commitment } }))

    expect(subscribe('confirmed')).toHaveLength(1)
    expect(subscribe('processed')[1]).toContain('before they are confirmed')
    expect(subscribe('finalized')[1]).toBe('commitment is "confirmed" or "processed".')
  })

  it('say where the facts are, and what is wrong with a stage', () => {
    const pairs = (params: object) => words(JSON.stringify({ method: 'newPairSubscribe', params }))

    expect(pairs({ facts: true })[1]).toContain('The JSON of each event has its facts')
    expect(pairs({ stage: ['launched'] })).toHaveLength(1)
    expect(pairs({ stage: ['launch'] })[1]).toContain('stage')
  })

  it.each([
    [
      { include: { baseTokenMints: ['x'] } },
      'include has no field "baseTokenMints". Did you mean baseTokenMint?',
    ],
    [
      { include: { usdValue: 10, baseTokenMints: ['x'] } },
      'include has no field "baseTokenMints". Did you mean baseTokenMint?',
    ],
    [{ include: { usdValue: '1000' } }, 'include.usdValue must be a number of US dollars'],
    [
      { include: { baseTokenMint: ['abc'] } },
      'include.baseTokenMint[0] is not an address (base58 of 32 bytes)',
    ],
    [{ walletAccount: ['abc'] }, 'walletAccount belongs in params.include'],
    [{ timestamps: 'yes' }, 'timestamps must be true or false'],
    ['all', 'params must be an object.'],
  ])('report for the params %j what the service would, in its words', (params, said) => {
    const subscribe = words(JSON.stringify({ method: 'swapSubscribe', params }), 'Pro')
    const update = { subscription_id: 1, params }

    expect([subscribe.length, subscribe[0]]).toEqual([2, 'Valid JSON, swapSubscribe'])
    expect(subscribe[1]).toContain(said)
    expect(words(JSON.stringify({ method: 'updateSubscriptionParams', params: update }))[1]).toContain(said)
  })

  it('report an empty message', () => {
    expect(words('')).toEqual(['Empty. You can still send it.'])
  })

  it('suggest a similar method', () => {
    expect(words('{"method":"swapSubscrib"}')).toEqual([
      'Unknown method "swapSubscrib". Did you mean swapSubscribe?',
    ])
    expect(words('{"method":"launch"}')).toEqual(['Unknown method "launch".'])
  })

  it('accept valid JSON that is no request', () => {
    expect(words('[]')).toEqual(['Valid JSON without a method.'])
    expect(words('null')).toEqual(['Valid JSON without a method.'])
  })

  it('report how the plan treats a swap filter', () => {
    const twelve = swaps({ baseTokenMint: Array(8).fill(MINT), WalletAccount: Array(4).fill(MINT) })

    expect(words(swaps({}), 'Basic')[1]).toBe('Basic needs at least one filter.')
    expect(words(swaps({ usdValue: 0 }), 'Basic')[1]).toBe('Basic needs at least one filter.')
    expect(words(twelve, 'Basic')[1]).toBe('12 accounts in the filter. Basic allows 10.')
    expect(words(swaps({ usdValue: 5 }), 'Basic')).toHaveLength(1)
    expect(words(swaps({}), 'NewPairs Only')[1]).toBe('NewPairs Only delivers 1,000 swap events.')
    expect(words(swaps({}), 'Pro')[1]).toBe('No filters. Your plan, Pro, allows this.')
    expect(words(swaps({}), 'A plan of tomorrow')).toHaveLength(1)
  })
})

describe('the example of a first start', () => {
  it.each([
    [undefined, 'All swaps', 0],
    ['Pro', 'All swaps', 0],
    ['Basic', 'Whale swaps over 10,000 USD', 1],
    ['NewPairs Only', 'New pairs', 0],
  ])('on the plan %s is %s, and it and all others but %i are allowed there', (plan, label, outside) => {
    expect(exampleFor(plan).label).toBe(label)
    expect(planFault(exampleFor(plan).text, plan)).toBeUndefined()
    expect(EXAMPLES.filter(({ text }) => planFault(text, plan) !== undefined)).toHaveLength(outside)
  })
})

describe('the examples', () => {
  it('are the five requests of the specification', () => {
    expect(EXAMPLES.map((example) => example.label)).toEqual([
      'New pairs',
      'All swaps',
      'Swaps by token',
      'Swaps by wallet',
      'Whale swaps over 10,000 USD',
    ])
    expect(EXAMPLES.map((example) => JSON.parse(example.text))).toMatchObject([
      { method: 'newPairSubscribe', params: { include_pumpfun: true } },
      { method: 'swapSubscribe' },
      { method: 'swapSubscribe', params: { include: { baseTokenMint: [expect.any(String)] } } },
      { method: 'swapSubscribe', params: { include: { walletAccount: [expect.any(String)] } } },
      { method: 'swapSubscribe', params: { include: { usdValue: 10000 } } },
    ])
  })

  it("use the last minute's busiest token and wallet, so that they return rows", () => {
    const aRow = (wallet: string) => ({ reading: { kind: 'swap', wallet } }) as Row
    const tokens = [{ mint: 'busy', symbol: '', buys: 9, sells: 1, prices: [] }]

    const examples = examplesOf(tradedNow(tokens, [aRow('a'), aRow('b'), aRow(''), aRow('b')]))

    expect(JSON.parse(examples[2]!.text).params.include).toEqual({ baseTokenMint: ['busy'] })
    expect(JSON.parse(examples[3]!.text).params.include).toEqual({ walletAccount: ['b'] })
  })

  it('select the part to edit', () => {
    const parts = EXAMPLES.map(({ text, selection }) => text.slice(...selection))

    expect([parts[0], parts[1], parts[4]]).toEqual(['true', '', '10000'])
    expect([parts[2]!, parts[3]!].every(isAddress)).toBe(true)
  })
})
