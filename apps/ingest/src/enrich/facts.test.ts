import {
  NewPairFacts,
  type NotificationEvent,
  type StreamEvent,
  SwapFacts,
  WRAPPED_SOL,
} from '@pairwire/contract'
import type { CurveState, DecodedNewPair, DecodedSwap } from '@pairwire/decoders'
import { describe, expect, it } from 'vitest'
import { aSwap } from '../testing/a-swap.ts'
import { silentLog } from '../testing/silent-log.ts'
import { createTokenMemory } from '../tokens/token-memory.ts'
import { enrich, enrichEarly } from './enrich.ts'
import { prepare } from './event-params.ts'
import { withSlotBuyers } from './facts.ts'
import { createPrices } from './prices.ts'

const PLACE = { run: 0, slot: 430_584_458, blockTime: 1_783_000_000, signature: new Uint8Array(64).fill(9) }
const SUPPLY = 1_000_000_000_000_000n
const { ammAccount, baseTokenMint } = aSwap()
const [CREATOR, OTHER] = [aSwap().walletAccount, 'BUguQsv2ZuHus54HAFzjdJHzZBkygAjKhEeYwSG19tUf']
const CURVE: CurveState = {
  filled: { amount: 7_931_000_000_000n, of: 793_100_000_000_000n },
  isComplete: false,
  virtualBase: 1_065_069_000_000_000n,
  virtualQuote: 30_223_396_456n,
}

const onCurve = (fields: Partial<DecodedSwap> = {}) =>
  aSwap({ exchange: 'pumpfun', launchpad: 'pumpfun', curve: CURVE, walletBalance: '5', ...fields })

const token = {
  ...{ mint: baseTokenMint, decimals: 6, supply: SUPPLY, name: 'Otter', symbol: 'OTTER' },
  ...{ uri: 'https://metadata.example/1.json', mintAuthority: null, freezeAuthority: null },
}

const aCreation = (fields: Partial<DecodedNewPair> = {}): DecodedNewPair => ({
  ...{ kind: 'newPair', exchange: 'pumpfun', launchpad: 'pumpfun', ammAccount, baseToken: token },
  quoteToken: { ...token, mint: WRAPPED_SOL, decimals: 9, supply: null, name: null, symbol: null, uri: null },
  ...{ baseTokenLiquidityAdded: SUPPLY, quoteTokenLiquidityAdded: 0n, migration: null, creator: CREATOR },
  curve: { ...CURVE, filled: { amount: 0n, of: 793_100_000_000_000n } },
  ...fields,
})

const aMemory = () => ({ prices: createPrices(), tokens: createTokenMemory(silentLog) })

/** The events of a block of these transactions. */
function block(...transactions: (DecodedNewPair | DecodedSwap)[][]): StreamEvent[] {
  const memory = aMemory()
  const batch: StreamEvent[] = transactions.flatMap((events, transactionIndex) =>
    enrich({ events }, { ...PLACE, transactionIndex }, memory),
  )
  withSlotBuyers(batch)
  return batch
}

/** The same events of one transaction, ahead of their block. */
function early(events: (DecodedNewPair | DecodedSwap)[]): readonly NotificationEvent[] {
  const prepared = prepare({ events }, PLACE.signature)
  return enrichEarly({ events }, { ...PLACE, transactionIndex: 0 }, aMemory(), prepared, new Map())
}

function pairFacts(batch: readonly StreamEvent[]) {
  const [event] = batch
  if (event?.kind !== 'newPair') throw new Error('no new pair')
  return NewPairFacts.parse(event.facts)
}

function swapFacts(batch: readonly StreamEvent[], at = 1) {
  const event = batch[at]
  if (event?.kind !== 'swap') throw new Error('no swap')
  return SwapFacts.parse(event.facts)
}

describe('the facts of a swap', () => {
  it('value the supply by the reserves of its curve', () => {
    const facts = swapFacts(block([aCreation()], [onCurve()]))

    // 30.223396456 SOL / 1,065,069,000 tokens x 1,000,000,000 tokens
    expect(Number(facts.marketCap)).toBeCloseTo(28.3769, 3)
    expect(facts).toMatchObject({
      walletBalance: '5',
      curve: {
        progress: 1,
        complete: false,
        virtualBase: '1065069000000000',
        virtualQuote: '30223396456',
      },
    })
  })

  it('value the supply by the swap’s own price off curves, and on those without reserves', () => {
    const untold = { filled: null, isComplete: null, virtualBase: null, virtualQuote: null }
    const batch = block([aCreation()], [aSwap()], [onCurve({ exchange: 'moonshot', curve: untold })])

    // 0.5 SOL for 2 tokens, of which there are a billion
    expect(swapFacts(batch, 1)).toEqual({
      marketCap: '250000000.000000000',
      walletBalance: null,
      curve: null,
    })
    expect(swapFacts(batch, 2)).toMatchObject({
      marketCap: '250000000.000000000',
      curve: { progress: null, complete: null, virtualBase: null, virtualQuote: null },
    })
  })

  it('count in the quote token’s own decimals', () => {
    const inUsdc = { quoteDecimals: 6, curve: { ...CURVE, virtualQuote: 4_300_000_000n } }

    const { marketCap } = swapFacts(block([aCreation()], [onCurve(inUsdc)]))

    expect(Number(marketCap)).toBeCloseTo(4_037.3, 1)
  })

  it('have no market cap, and no 0, while the supply is unknown', () => {
    const [event] = enrich({ events: [onCurve()] }, { ...PLACE, transactionIndex: 0 }, aMemory())

    expect(event).toMatchObject({ facts: { marketCap: null, curve: { progress: 1 } } })
  })

  it('follow the supply as it changes', () => {
    const memory = aMemory()
    enrich({ events: [aCreation()] }, { ...PLACE, transactionIndex: 0 }, memory)
    const before = memory.tokens.supplyOf(baseTokenMint)
    const learned = { ...token, supply: 5n, metadataAccount: null, uri: null }
    memory.tokens.learn(learned, { ...PLACE, slot: PLACE.slot + 1, transactionIndex: 0 })

    expect([before, memory.tokens.supplyOf(baseTokenMint)]).toEqual([SUPPLY, 5n])
  })

  it('give 100 to the buy that completes its curve, and to no other', () => {
    const of = 793_100_000_000_000n
    const full = { ...CURVE, isComplete: true, filled: { amount: of, of } }
    const nearly = { ...CURVE, filled: { amount: of - 1n, of } }
    const batch = block([aCreation()], [onCurve({ curve: nearly })], [onCurve({ curve: full })])

    expect(swapFacts(batch, 1).curve).toMatchObject({ progress: 99.99, complete: false })
    expect(swapFacts(batch, 2).curve).toMatchObject({ progress: 100, complete: true })
  })
})

// Guards what snipers act on.
describe('the facts of a new pair', () => {
  it('sum the creator’s buys in the creating transaction, however many', () => {
    const facts = pairFacts(block([aCreation(), onCurve(), onCurve({ baseAmount: 3_000_000n })]))

    expect(facts).toMatchObject({
      creator: CREATOR,
      uri: 'https://metadata.example/1.json',
      creatorBuy: { baseAmount: '5000000', quoteAmount: '1000000000', usdValue: null, supplyShare: 5e-9 },
      slotBuyers: 0,
      slotBuyShare: 0,
    })
  })

  it("have the address of the token's page whole, or not at all", () => {
    const page = (length: number) => 'https://metadata.example/'.padEnd(length, 'x')
    const [told, unknown] = [257, 9_000].map((length) => ({ ...token, uri: page(length) }))

    expect(pairFacts(block([aCreation({ baseToken: told! })])).uri).toBe(told!.uri)
    expect(pairFacts(block([aCreation({ baseToken: unknown! })])).uri).toBeNull()
    expect(pairFacts(block([aCreation({ baseToken: { ...unknown!, supply: null } })])).uri).toBeNull()
  })

  it('sum their value where it is known, to the millionth of a dollar', () => {
    const sumOf = (...values: number[]) => {
      const events = [aCreation(), ...values.map(() => onCurve())]
      const prices = { ...createPrices(), usdValue: () => values.shift() ?? null }
      return enrich({ events }, { ...PLACE, transactionIndex: 0 }, { ...aMemory(), prices })[0]
    }

    expect(sumOf(60, 60)).toMatchObject({ facts: { creatorBuy: { usdValue: 120 } } })
    expect(sumOf(0.1, 0.2)).toMatchObject({ facts: { creatorBuy: { usdValue: 0.3 } } })
  })

  it('have no buy of the creator when another wallet bought, when nobody did, or later', () => {
    const byOther = pairFacts(block([aCreation(), onCurve({ walletAccount: OTHER })]))
    const nobody = pairFacts(block([aCreation()]))
    const later = pairFacts(block([aCreation()], [onCurve()]))

    expect([byOther, nobody, later].map(({ creatorBuy }) => creatorBuy)).toEqual([null, null, null])
    expect([byOther, nobody, later].map(({ slotBuyers }) => slotBuyers)).toEqual([1, 0, 0])
  })

  it('count forty other buyers of its slot once each, with what they bought', () => {
    const buys = Array.from({ length: 40 }, (_, at) =>
      onCurve({ walletAccount: `wallet ${at % 39}`, baseAmount: 1_000_000_000_000n }),
    )
    const others = [onCurve({ swapType: 'sell', walletAccount: OTHER }), onCurve({ ammAccount: OTHER })]

    const facts = pairFacts(block([aCreation(), onCurve()], ...[...buys, ...others].map((swap) => [swap])))

    expect(facts).toMatchObject({ slotBuyers: 39, slotBuyShare: 0.04 })
  })

  it('count tokens that buyers sell to each other through the curve once: the share is what they hold at the end', () => {
    const trade = (swapType: 'buy' | 'sell', walletAccount: string, share: bigint) => [
      onCurve({ swapType, walletAccount, baseAmount: (SUPPLY * share) / 100n }),
    ]
    const resold = [trade('buy', OTHER, 60n), trade('sell', OTHER, 60n), trade('buy', 'another', 60n)]
    // Who sells more than they bought here had it from elsewhere.
    const fromElsewhere = [trade('buy', 'third', 10n), trade('sell', 'third', 20n)]

    const facts = pairFacts(block([aCreation()], ...resold, ...fromElsewhere))

    expect(facts).toMatchObject({ slotBuyers: 3, slotBuyShare: 0.6 })
  })

  it('are those after its last swap in the transaction, else those of its opening', () => {
    const after = { ...CURVE, virtualQuote: 60_446_792_912n }
    const bought = pairFacts(block([aCreation(), onCurve(), onCurve({ curve: after })]))
    const unbought = pairFacts(block([aCreation()]))

    expect(bought.curve).toMatchObject({ virtualQuote: '60446792912', progress: 1 })
    expect(Number(bought.marketCap)).toBeCloseTo(2 * Number(unbought.marketCap), 9)
    expect(unbought.curve).toMatchObject({ virtualQuote: '30223396456', progress: 0, complete: false })
  })

  it('price a pool without a swap by its liquidity only where that is the price', () => {
    const opened = { baseTokenLiquidityAdded: SUPPLY / 2n, quoteTokenLiquidityAdded: 60_000_000_000n }
    const pool = { ...opened, curve: null, launchpad: null }

    expect(pairFacts(block([aCreation({ ...pool, exchange: 'pumpswap' })])).marketCap).toBe('120.000000000')
    expect(pairFacts(block([aCreation({ ...pool, exchange: 'raydium_clmm' })])).marketCap).toBeNull()
  })

  it('leave shares of an unknown supply unknown', () => {
    const unknown = { ...token, supply: null }

    const facts = pairFacts(block([aCreation({ baseToken: unknown }), onCurve()]))

    expect(facts).toMatchObject({
      creatorBuy: { baseAmount: '2000000', supplyShare: null },
      slotBuyShare: null,
    })
  })

  it('ahead of their block say nothing of its other buyers', () => {
    const [event] = early([aCreation(), onCurve()])

    expect(event).toMatchObject({
      facts: { creatorBuy: { baseAmount: '2000000' }, slotBuyers: null, slotBuyShare: null },
    })
  })

  it('ahead of their block value the supply as in it, and so do those of the buys behind them', () => {
    const events = [aCreation(), onCurve()]
    const place = { ...PLACE, transactionIndex: 0 }
    const capsOf = (made: readonly NotificationEvent[]) =>
      made.map((event) => 'facts' in event && event.facts?.marketCap)

    expect(capsOf(early(events))).toEqual(capsOf(enrich({ events }, place, aMemory())))
  })
})
