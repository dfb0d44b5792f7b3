import { type NotificationEvent, WRAPPED_SOL } from '@pairwire/contract'
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
const texts = { name: 'Otter', symbol: 'OTTER', uri: 'https://metadata.example/1.json' }
const creation: DecodedNewPair = {
  ...{ kind: 'newPair', exchange: 'pumpfun', launchpad: 'pumpfun', ammAccount, creator: walletAccount },
  baseToken: { mint: baseTokenMint, decimals: 6, supply: 1_000_000_000_000_000n, ...noTexts, ...texts },
  quoteToken: { mint: WRAPPED_SOL, decimals: 9, supply: null, ...noTexts },
  ...{ baseTokenLiquidityAdded: 1n, quoteTokenLiquidityAdded: 0n, migration: null, curve: null },
}

const migration: DecodedNewPair = {
  ...{ ...creation, exchange: 'pumpswap', launchpad: null, ammAccount: walletAccount },
  baseToken: { mint: baseTokenMint, decimals: 6, supply: null, ...noTexts },
  ...{ quoteTokenLiquidityAdded: 84_000_000_000n, migration: 'pumpfun' },
}

/** Executes transactions of one event; `sent` are the events published, in order. */
function openEarlyEvents() {
  const sent: NotificationEvent[] = []
  const early = createEarlyEvents({
    bus: {
      publishEarly: (message) => message.kind === 'executed' && sent.push(...message.events),
      wantsEarly: () => true,
    },
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
  return { execute, sent }
}

describe('early events', () => {
  it('value the whole supply of a token whose creation is not confirmed yet', () => {
    const { execute, sent } = openEarlyEvents()

    execute(1, aSwap())
    execute(2, creation)
    execute(2, aSwap())
    execute(3, aSwap())

    const caps = sent.map((event) => ('facts' in event ? event.facts?.marketCap : undefined))
    // 0.5 SOL for 2 of a billion
    expect(caps).toEqual([null, null, '250000000.000000000', '250000000.000000000'])
  })

  it('name a token in the pool that it moves to before its creation is confirmed', () => {
    const { execute, sent } = openEarlyEvents()

    execute(2, creation)
    execute(3, migration)

    const infos = sent.map((event) => event.kind === 'newPair' && event.params.pair.baseToken.info)
    expect(infos[0]).toMatchObject({ decimals: 6, metadata: { name: 'Otter', symbol: 'OTTER' } })
    expect(infos[1]).toEqual(infos[0])
  })
})
