import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventsText, paramsText } from './event-text.ts'
import type { NotificationEvent, StreamEvent, Swap } from './events.ts'

const address = fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
const raw = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)
const launchpad = fc.constantFrom({}, { launchpad: null }, { launchpad: 'raydium_launchlab' })
const usdValue = fc.oneof(
  fc.constant(null),
  fc.double({ min: 0, max: 1e25, noNaN: true }).map((value) => value + 0),
)
const swap: fc.Arbitrary<NotificationEvent> = fc
  .tuple(address, raw, usdValue, launchpad, fc.constantFrom({}, { receivedAt: 1_790_000_000_123 }))
  .map(([text, amount, usd, names, came]) => {
    const swap: Swap = {
      sourceExchange: 'pumpswap',
      ...names,
      ...{ ammAccount: text, baseTokenMint: text, quoteTokenMint: text, walletAccount: text },
      ...{ quotePrice: '0.000000123456789', usdValue: usd, baseAmount: amount, quoteAmount: amount },
      ...{ swapType: 'sell', quoteTokenLiquidity: '' },
    }
    const params = { slot: 433_000_000, signature: text, blockTime: 1_790_000_000, swap }
    return { kind: 'swap', cursor: '000000000-000433000000-000001-0000', params, ...came }
  })

describe('the text of events', () => {
  it('of swaps is what JSON makes of them', () => {
    fc.assert(fc.property(swap, (event) => paramsText(event) === JSON.stringify(event.params)))
  })

  it('is read back as they were, whatever their kind', () => {
    const others: StreamEvent[] = [
      { kind: 'gap', cursor: 'c', params: { fromSlot: 1, toSlot: 2, cause: 'upstream', resume_from: null } },
      { kind: 'latestBlock', cursor: 'd', params: { block: 3, blockTime: 4 }, unplaced: true },
    ]
    fc.assert(
      fc.property(fc.array(swap, { maxLength: 4 }), fc.boolean(), (swaps, isEarly) => {
        const early = isEarly ? ({ unplaced: true, commitment: 'processed' } as const) : {}
        const events = [...swaps.map((event) => ({ ...event, ...early })), ...others]
        expect(JSON.parse(eventsText(events))).toEqual(JSON.parse(JSON.stringify(events)))
      }),
    )
  })
})
