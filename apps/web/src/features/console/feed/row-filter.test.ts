import { describe, expect, it } from 'vitest'
import { bucketTerm } from './bucket-term.ts'
import type { Row, RowKind } from './row.ts'
import { matchedParts, rowTest } from './row-filter.ts'

const swap: Row = {
  id: 1,
  at: 0,
  text: '',
  symbol: 'HARB',
  reading: {
    kind: 'swap',
    isBuy: true,
    exchange: 'raydium_launchlab',
    price: '1',
    usd: 412.09,
    mint: 'MintAbcbonk',
    quoteMint: '',
    wallet: 'Wallet1',
    signature: 'Sig1',
    blockTime: null,
    isEarly: false,
  },
}
const pair: Row = {
  id: 2,
  at: 0,
  text: '',
  symbol: '',
  reading: {
    kind: 'pair',
    exchange: 'pumpfun',
    isMigration: false,
    name: 'Paper Crane',
    symbol: 'CRANE',
    logo: '',
    mint: 'Mint2',
    quoteMint: '',
    signature: 'Sig2',
    blockTime: null,
    isEarly: false,
  },
}
const message: Row = {
  id: 3,
  at: 0,
  text: '',
  symbol: '',
  reading: { kind: 'message', tone: 'notice', words: 'Websocket closed', detail: '' },
}
const found = (text: string, kind: RowKind = 'all') =>
  [swap, pair, message].filter(rowTest({ kind, text }) ?? (() => true)).map((row) => row.id)

describe('row filter', () => {
  it('searches symbol, name, mint, wallet, signature and exchange for words, in any case', () => {
    expect([
      found('harb'),
      found('paper'),
      found('abcB'),
      found('wallet1'),
      found('sig2'),
      found('PUMP.'),
    ]).toEqual([[1], [2], [1], [1], [2], [2]])
  })

  it('finds an exchange by its displayed name', () => {
    expect(found('Bonk')).toEqual([1])
  })

  it("excludes events displayed under another exchange than the stream's", () => {
    const test = rowTest({ kind: 'all', text: 'raydium' })

    expect(test?.(swap)).toBe(false)
    expect(test?.({ ...swap, reading: { ...swap.reading, mint: 'Other' } as Row['reading'] })).toBe(true)
  })

  it('compares US dollars', () => {
    expect([found('>412'), found('>412.09'), found('<1,000'), found('<50')]).toEqual([[1], [], [1], []])
  })

  it('matches a whole field in quotes', () => {
    expect([found('"HARB"'), found('"HAR"'), found('"Paper Crane"'), found('"paper crane"')]).toEqual([
      [1],
      [],
      [2],
      [],
    ])
  })

  it('requires every term', () => {
    expect([found('harb >100'), found('harb >1000')]).toEqual([[1], []])
  })

  it('applies its chip', () => {
    expect([found('', 'buy'), found('', 'sell'), found('', 'pair'), found('', 'message')]).toEqual([
      [1],
      [],
      [2],
      [3],
    ])
    expect(found('sig', 'buy')).toEqual([1])
  })

  it('accepts everything when there is nothing to test', () => {
    expect(rowTest({ kind: 'all', text: '  ' })).toBeUndefined()
    expect(found('"')).toEqual([1, 2, 3])
  })

  it('names the parts of a row that contain words', () => {
    expect([
      matchedParts(swap, 'launchlab wallet1 >100'),
      matchedParts(swap, 'bonk'),
      matchedParts(pair, 'crane'),
      matchedParts(pair, '"Mint2"'),
      matchedParts(message, 'closed'),
      matchedParts(swap, '>100'),
    ]).toEqual([['wallet'], ['mint', 'exchange'], ['token'], ['mint'], ['message'], []])
  })

  it('selects the rows of one bucket of the chart', () => {
    const start = new Date(2026, 10, 20, 14, 3, 7, 350).getTime()
    const term = bucketTerm(start, start + 412)
    const wanted = rowTest({ kind: 'all', text: term })!

    const kept = [start - 1, start, start + 411, start + 412].map((time) => wanted({ ...swap, at: time }))

    expect(term).toBe('@14:03:07.350+412')
    expect(kept).toEqual([false, true, true, false])
  })
})
