import { WRAPPED_SOL } from '@pairwire/contract/mints'
import { describe, expect, it } from 'vitest'
import type { Row } from '../feed/row.ts'
import { rawJsonName, rowSentence } from './row-sentence.ts'

const swap: Row = {
  id: 1,
  at: 0,
  text: '',
  symbol: 'HARB',
  reading: {
    kind: 'swap',
    isBuy: true,
    exchange: 'raydium',
    price: '0.0001099',
    usd: 412.09,
    mint: 'DwxyH11111111Spump',
    quoteMint: WRAPPED_SOL,
    wallet: '7xKXt11111111gAsU2',
    signature: 'sig',
    blockTime: 1,
    isEarly: false,
  },
}

describe('the sentence of a row', () => {
  it('describes a swap', () => {
    expect(rowSentence(swap, 4_000)).toBe(
      'Buy, Raydium, HARB, 412 dollars 9 cents, 0.0001099 SOL, wallet 7xKXt to gAsU2, 3 seconds ago',
    )
  })

  it('reports an unknown value, and names a token by its mint', () => {
    const row: Row = { ...swap, symbol: '', reading: { ...swap.reading, usd: null } as Row['reading'] }

    expect(rowSentence(row, 126_000)).toBe(
      'Buy, Raydium, DwxyH…Spump, value unknown, 0.0001099 SOL, wallet 7xKXt to gAsU2, 2 minutes 5 seconds ago',
    )
  })

  it('names the raw JSON button', () => {
    expect(rawJsonName(swap)).toBe('Raw JSON for Buy HARB, 412.09 US dollars')
  })

  it('includes the commitment of an early swap', () => {
    const early: Row = { ...swap, reading: { ...swap.reading, isEarly: true } as Row['reading'] }

    expect(rowSentence(early, 4_000)).toContain(', not confirmed yet, 3 seconds ago')
    expect(rowSentence({ ...early, isTakenBack: true }, 4_000)).toContain(', taken back, 3 seconds ago')
  })

  it("reads out a message without a stranger's control characters", () => {
    const pair: Row = {
      ...swap,
      reading: {
        kind: 'pair',
        exchange: 'pumpfun',
        isMigration: true,
        name: '\u202eevil',
        symbol: 'E',
        logo: '',
        mint: 'm',
        quoteMint: '',
        signature: '',
        blockTime: null,
        isEarly: false,
      },
    }

    expect(rowSentence(pair, 0)).toBe('New pair, Pump.fun, evil, E, migration, now')
    const blank: Row = { ...pair, reading: { ...pair.reading, name: '\u3164\u200b' } as Row['reading'] }
    expect(rowSentence(blank, 0)).toBe('New pair, Pump.fun, E, E, migration, now')
  })
})
