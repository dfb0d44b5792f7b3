import { type EarlyMessage, WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedEvent, DecodedNewPair } from '@pairwire/decoders'
import { describe, expect, it } from 'vitest'
import { createEarlyEvents } from './early-events.ts'
import { prepare } from './enrich/event-params.ts'
import { createPrices } from './enrich/prices.ts'
import { aSwap } from './testing/a-swap.ts'
import { silentLog } from './testing/silent-log.ts'
import { createTokenMemory } from './tokens/token-memory.ts'

const { ammAccount, baseTokenMint, walletAccount } = aSwap()
const noTexts = { name: null, symbol: null, uri: null, mintAuthority: null, freezeAuthority: null }
const creation: DecodedNewPair = {
  ...{ kind: 'newPair', exchange: 'pumpfun', launchpad: 'pumpfun', ammAccount, creator: walletAccount },
  baseToken: { mint: baseTokenMint, decimals: 6, supply: 1_000_000_000_000_000n, ...noTexts },
  quoteToken: { mint: WRAPPED_SOL, decimals: 9, supply: null, ...noTexts },
  ...{ baseTokenLiquidityAdded: 1n, quoteTokenLiquidityAdded: 0n, migration: null, curve: null },
}

describe('early events', () => {
  it('value the whole supply of a token whose creation is not confirmed yet', () => {
    const sent: EarlyMessage[] = []
    const early = createEarlyEvents({
      bus: { publishEarly: (message) => sent.push(message), wantsEarly: () => true },
      clock: { now: () => 1_783_000_000_000 } as never,
      memory: { prices: createPrices(), tokens: createTokenMemory(silentLog) },
      failed: (error) => {
        throw error
      },
    })
    const execute = (slot: number, event: DecodedEvent) => {
      const signature = new Uint8Array(64).fill(slot)
      const decoded = { events: [event], refusals: [] }
      early.executed({ run: 0, slot, source: 0, bank: 1, blockTime: 1_783_000_000 }, {
        signature,
        index: null,
        failed: false,
        decoded,
        prepared: prepare(decoded, signature),
        raw: undefined,
      } as never)
    }

    execute(1, aSwap())
    execute(2, creation)
    execute(2, aSwap())
    execute(3, aSwap())

    const caps = sent.map((message) => {
      const event = message.kind === 'executed' ? message.events[0] : undefined
      return event && 'facts' in event ? event.facts?.marketCap : undefined
    })
    // 0.5 SOL for 2 of a billion
    expect(caps).toEqual([null, null, '250000000.000000000', '250000000.000000000'])
  })
})
