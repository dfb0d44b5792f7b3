import type { DecodedEvent } from '@pairwire/decoders'
import { describe, expect, it } from 'vitest'
import { shownExchange } from './decoded-counts.ts'

const A_MINT = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const A_BONK_MINT = 'Dz9mQ9NzkBcCsuGPFJ3r1bS4wgqKMHBPiVuniW8Mbonk'

describe('the displayed exchange', () => {
  it.each([
    ['raydium_launchlab', A_BONK_MINT, 'bonk'],
    ['raydium_launchlab', A_MINT, 'raydium_launchlab'],
    ['raydium', A_BONK_MINT, 'raydium'],
    ['pumpfun', A_MINT, 'pumpfun'],
  ] as const)('of %s and %s is %s', (exchange, mint, shown) => {
    const swap = { kind: 'swap', exchange, baseTokenMint: mint } as DecodedEvent // its other fields are not read
    const pair = { kind: 'newPair', exchange, baseToken: { mint } } as DecodedEvent

    expect(shownExchange(swap)).toBe(shown)
    expect(shownExchange(pair)).toBe(shown)
  })
})
