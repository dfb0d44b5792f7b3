import { anyText } from '@pairwire/basics/testing/any-text'
import { NewPairParams, parseCursor, SwapParams, USDC, WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedNewPair, DecodedToken } from '@pairwire/decoders'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aSolTrade, aSwap } from '../testing/a-swap.ts'
import { silentLog } from '../testing/silent-log.ts'
import { createTokenMemory } from '../tokens/token-memory.ts'
import { enrich, learn } from './enrich.ts'
import { prepare } from './event-params.ts'
import { KNOWN_SOL_POOLS } from './known-pools.ts'
import { createPrices } from './prices.ts'

const PLACE = {
  run: 3,
  slot: 430_584_458,
  blockTime: 1_783_000_000,
  transactionIndex: 17,
  signature: new Uint8Array(64).fill(9),
}

const aToken = (fields: Partial<DecodedToken> = {}): DecodedToken => ({
  mint: aSwap().baseTokenMint,
  decimals: 6,
  supply: 1_000_000_000_000_000n,
  name: 'Sleepy Otter',
  symbol: 'OTTER',
  uri: 'https://metadata.example/1.json',
  mintAuthority: null,
  freezeAuthority: null,
  ...fields,
})

const aPair = (fields: Partial<DecodedNewPair> = {}): DecodedNewPair => ({
  kind: 'newPair',
  exchange: 'pumpfun',
  launchpad: 'pumpfun',
  ammAccount: aSwap().ammAccount,
  baseToken: aToken(),
  quoteToken: aToken({ mint: WRAPPED_SOL, decimals: 9, supply: null, name: null, symbol: null, uri: null }),
  baseTokenLiquidityAdded: 1_000_000_000_000_000n,
  quoteTokenLiquidityAdded: 0n,
  migration: null,
  creator: null,
  curve: null,
  ...fields,
})

const aMemory = () => ({ prices: createPrices(), tokens: createTokenMemory(silentLog) })

/** The `params` of the only event of a new pair with this base token. */
function pairWith(baseToken: DecodedToken) {
  const [event] = enrich({ events: [aPair({ baseToken })] }, PLACE, aMemory())
  if (event?.kind !== 'newPair') throw new Error('no new pair')
  return event.params
}

describe('enrich', () => {
  it('uses what was prepared when a transaction arrived, and adds only what its block contributes', () => {
    const decoded = { events: [aSwap(), aPair(), aSwap({ exchange: 'pumpswap' })] }
    const prepared = prepare(decoded, PLACE.signature)
    const events = enrich(decoded, { ...PLACE, receivedAt: 7 }, aMemory(), prepared)

    expect(events).toEqual(enrich(decoded, PLACE, aMemory()).map((event) => ({ ...event, receivedAt: 7 })))
    const later = { ...prepared, signature: 'of the prepared' }
    expect(enrich(decoded, PLACE, aMemory(), later)[2]?.params).toMatchObject({
      signature: 'of the prepared',
      swap: prepared.swaps[2],
    })
  })

  it('makes a swap in the form of the contract', () => {
    const [event] = enrich({ events: [aSwap()] }, PLACE, aMemory())

    expect(event?.kind).toBe('swap')
    expect(SwapParams.parse(event?.params)).toEqual({
      slot: 430_584_458,
      signature: 'BUguQsv2ZuHus54HAFzjdJHzZBkygAjKhEeYwSG19tUfUyvvz3worsdQCdAXDNjakJHioSiyxhFiDJrm8XpSXRA',
      blockTime: 1_783_000_000,
      swap: {
        sourceExchange: 'raydium',
        launchpad: null,
        ammAccount: aSwap().ammAccount,
        baseTokenMint: aSwap().baseTokenMint,
        quoteTokenMint: WRAPPED_SOL,
        walletAccount: aSwap().walletAccount,
        quotePrice: '0.250000000',
        usdValue: null,
        baseAmount: '2000000',
        quoteAmount: '500000000',
        swapType: 'buy',
        quoteTokenLiquidity: '80000000000',
      },
    })
  })

  it('numbers the events of a transaction in their cursors', () => {
    const events = enrich({ events: [aPair(), aSwap(), aSwap()] }, PLACE, aMemory())

    expect(events.map((event) => parseCursor(event.cursor))).toEqual(
      [0, 1, 2].map((eventIndex) => ({ run: 3, slot: 430_584_458, transactionIndex: 17, eventIndex })),
    )
  })

  it('values a swap by SOL trades in earlier blocks', () => {
    const memory = aMemory()
    const trades = [...KNOWN_SOL_POOLS].flatMap((ammAccount) =>
      ['wallet 1', 'wallet 2'].map((wallet) => ({ ...aSolTrade(160, 2, wallet), ammAccount })),
    )

    const before = enrich({ events: [...trades, aSwap()] }, PLACE, memory)
    learn({ events: [...trades, aSwap()] }, PLACE, memory)
    const [event] = enrich({ events: [aSwap()] }, { ...PLACE, slot: PLACE.slot + 1 }, memory)

    expect(before.at(0)).toMatchObject({ params: { swap: { usdValue: 320 } } })
    expect(before.at(-1)).toMatchObject({ params: { swap: { usdValue: null } } })
    expect(event).toMatchObject({ params: { swap: { usdValue: 80 } } })
  })

  it('leaves the liquidity empty if it is unknown', () => {
    const [event] = enrich({ events: [aSwap({ quoteTokenLiquidity: null })] }, PLACE, aMemory())

    expect(event).toMatchObject({ params: { swap: { quoteTokenLiquidity: '' } } })
  })

  it('gives a new pair the token details of its transaction, and no logo', () => {
    expect(NewPairParams.parse(pairWith(aToken())).pair).toMatchObject({
      baseToken: {
        info: {
          decimals: 6,
          supply: '1000000000000000',
          metadata: { name: 'Sleepy Otter', symbol: 'OTTER', logo: null, socials: null },
          mintAuthority: null,
          freezeAuthority: null,
        },
      },
      quoteToken: { account: WRAPPED_SOL, info: null },
      quoteTokenLiquidityAdded: '0',
      migration: null,
    })
  })

  it('adds nothing for wrapped SOL, whatever was decoded of it', () => {
    expect(pairWith(aToken({ mint: WRAPPED_SOL })).pair.baseToken.info).toBeNull()
  })

  it('adds nothing for a token while decimals or supply are unknown', () => {
    expect(pairWith(aToken({ supply: null })).pair.baseToken.info).toBeNull()
    expect(pairWith(aToken({ decimals: null })).pair.baseToken.info).toBeNull()
  })

  it('omits metadata when the name or the symbol is unknown', () => {
    expect(pairWith(aToken({ symbol: null })).pair.baseToken.info?.metadata).toBeNull()
  })

  it('distinguishes the stable quote of a pair from SOL', () => {
    const params = pairWith(aToken({ mint: USDC, supply: null }))

    expect(params.pair.baseToken).toEqual({ account: USDC, info: null })
  })

  // Guards the frame: untrusted text reaches every client.
  it('keeps any name intact through JSON, cut only if it is absurdly long', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 400 }), (name) => {
        const params = pairWith(aToken({ name }))

        const written = JSON.stringify(params)
        const read = NewPairParams.parse(JSON.parse(written)).pair.baseToken.info?.metadata?.name ?? ''
        expect(name.startsWith(read)).toBe(true)
        if (name.length <= 256) expect(read).toBe(name)
        expect(read.length).toBeLessThanOrEqual(256)
        expect(written).not.toContain('\n')
      }),
    )
  })
})
