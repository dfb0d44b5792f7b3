import { describe, expect, it } from 'vitest'
import { filterWords } from './filter-words.ts'

describe('filter words', () => {
  it.each<['swap' | 'newPair', object, string]>([
    ['swap', {}, 'All'],
    ['swap', { include: null }, 'All'],
    ['swap', { include: { WalletAccount: ['a', 'b'], USDValue: 10_000 } }, '2 wallets or from 10,000 USD'],
    ['swap', { include: { ammAccount: ['a'], usdValue: 5 }, match: 'all' }, '1 pool and from 5 USD'],
    ['swap', { exclude: { baseTokenMint: ['a'] }, swapType: ['buy'] }, 'without 1 token, buy'],
    ['newPair', {}, 'Pools only'],
    [
      'newPair',
      { include_pumpfun: true, sourceExchange: ['pumpfun', 'raydium'] },
      'With launchpads, pumpfun or raydium',
    ],
  ])('describe %s %j as %s', (kind, params, words) => {
    expect(filterWords(kind, JSON.stringify(params))).toBe(words)
  })
})
