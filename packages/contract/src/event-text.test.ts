import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventsOfText, eventsText, eventsTextParts, factsText, isBuy, paramsText } from './event-text.ts'
import { CurveFacts, SwapFacts } from './events/facts.ts'
import { type NotificationEvent, type StreamEvent, Swap, SwapParams } from './events.ts'

const address = fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
const raw = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)
const launchpad = fc.constantFrom({}, { launchpad: null }, { launchpad: 'raydium_launchlab' })
const usdValue = fc.oneof(
  fc.constant(null),
  fc.double({ min: 0, max: 1e25, noNaN: true }).map((value) => value + 0),
)
const swapType = fc.constantFrom('buy' as const, 'sell' as const)
const curve = { progress: 12.34, complete: false, virtualBase: '5', virtualQuote: null }
const facts = fc.constantFrom<Partial<{ facts: SwapFacts }>>(
  {},
  { facts: { marketCap: null, walletBalance: null, curve: null } },
  { facts: { marketCap: '1.5e+22', walletBalance: '7', curve } },
)
const swap = fc
  .tuple(
    address,
    raw,
    usdValue,
    launchpad,
    swapType,
    fc.tuple(fc.constantFrom({}, { receivedAt: 1_790_000_000_123 }), facts),
  )
  .map(([text, amount, usd, names, swapType, [came, facts]]): SwapEvent => {
    const swap: Swap = {
      sourceExchange: 'pumpswap',
      ...names,
      ...{ ammAccount: text, baseTokenMint: text, quoteTokenMint: text, walletAccount: text },
      ...{ quotePrice: '0.000000123456789', usdValue: usd, baseAmount: amount, quoteAmount: amount },
      ...{ swapType, quoteTokenLiquidity: '' },
    }
    const params = { slot: 433_000_000, signature: text, blockTime: 1_790_000_000, swap }
    return { kind: 'swap', cursor: '000000000-000433000000-000001-0000', params, ...came, ...facts }
  })

type SwapEvent = Extract<NotificationEvent, { kind: 'swap' }>

const others: StreamEvent[] = [
  { kind: 'gap', cursor: 'c', params: { fromSlot: 1, toSlot: 2, cause: 'upstream', resume_from: null } },
  { kind: 'latestBlock', cursor: 'd', params: { block: 3, blockTime: 4 }, unplaced: true },
]

// Guards a member that the contract gains: this text is put together by hand, only here.
describe('the text of a swap', () => {
  it('has every member of the contract', () => {
    const swap: Required<Swap> = {
      ...{ sourceExchange: 'pumpswap', launchpad: null, ammAccount: 'a', baseTokenMint: 'b' },
      ...{ quoteTokenMint: 'c', walletAccount: 'd', quotePrice: '1', usdValue: 2, baseAmount: '3' },
      ...{ quoteAmount: '4', swapType: 'buy', quoteTokenLiquidity: '5' },
    }
    const params: Required<SwapParams> = { slot: 6, signature: 'e', blockTime: 7, swap }
    const event: Required<SwapEvent> = {
      ...{ kind: 'swap', cursor: 'f', params, receivedAt: 8, unplaced: true, commitment: 'processed' },
      facts: { marketCap: '9', walletBalance: '10', curve },
    }

    const [read] = JSON.parse(eventsText([event]))

    expect(read).toEqual(event)
    expect(Object.keys(read.params).sort()).toEqual(Object.keys(SwapParams.shape).sort())
    expect(Object.keys(read.params.swap).sort()).toEqual(Object.keys(Swap.shape).sort())
    expect(Object.keys(read.facts).sort()).toEqual(Object.keys(SwapFacts.shape).sort())
    expect(Object.keys(read.facts.curve).sort()).toEqual(Object.keys(CurveFacts.shape).sort())
  })
})

describe('the text of events', () => {
  it('of swaps is what JSON makes of them', () => {
    fc.assert(fc.property(swap, (event) => paramsText(event) === JSON.stringify(event.params)))
  })

  it('parses into equal events, whatever their kind', () => {
    fc.assert(
      fc.property(fc.array(swap, { maxLength: 4 }), fc.boolean(), (swaps, isEarly) => {
        const early = isEarly ? ({ unplaced: true, commitment: 'processed' } as const) : {}
        const events = [...swaps.map((event) => ({ ...event, ...early })), ...others]
        const plain = JSON.parse(JSON.stringify(events))
        expect(JSON.parse(eventsText(events))).toEqual(plain)
        expect([...eventsTextParts(events, 3)].join('')).toBe(eventsText(events))
        expect(eventsOfText(eventsText(events))).toEqual(plain)
        expect(eventsOfText(JSON.stringify(events))).toEqual(plain)
      }),
    )
  })

  it('stays the same if events parsed from it are written again, unchanged or changed', () => {
    fc.assert(
      fc.property(swap, (event) => {
        const [read] = eventsOfText(eventsText([event])) as [SwapEvent]

        expect(eventsText([read])).toBe(eventsText([event]))
        expect(paramsText(read)).toBe(paramsText(event))
        expect(factsText(read)).toBe(factsText(event))
        expect(read.facts).toEqual(event.facts)
        const copy = { ...read, unplaced: true } as const
        expect(eventsText([copy])).toBe(eventsText([{ ...event, unplaced: true }]))
      }),
    )
  })

  it('says whether a swap is a buy', () => {
    fc.assert(
      fc.property(swap, (event) => {
        const [read] = eventsOfText(eventsText([event])) as [SwapEvent]
        return isBuy(read) === isBuy(event) && isBuy(event) === (event.params.swap.swapType === 'buy')
      }),
    )
  })
})
