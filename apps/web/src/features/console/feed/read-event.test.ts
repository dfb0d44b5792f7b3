import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEvent } from './read-event.ts'

const swap = {
  sourceExchange: 'pumpswap',
  swapType: 'sell',
  quotePrice: '0.0000004265',
  usdValue: 47.18,
  baseTokenMint: 'mint',
  quoteTokenMint: 'quote',
  walletAccount: 'wallet',
}
const read = (frame: unknown) => readEvent(JSON.stringify(frame))

describe('event reader', () => {
  it('reads a swap wherever its fields are', () => {
    const expected = {
      kind: 'swap',
      isBuy: false,
      usd: 47.18,
      signature: 'sig',
      blockTime: 7,
      wallet: 'wallet',
    }
    const method = 'swapNotification'

    expect(read({ method, params: { signature: 'sig', blockTime: 7, swap } })).toMatchObject(expected)
    expect(read({ method, params: { ...swap, signature: 'sig', blockTime: 7 } })).toMatchObject(expected)
    expect(read({ method, signature: 'sig', blockTime: 7, params: { swap } })).toMatchObject(expected)
    expect(read({ method, params: { swap: { ...swap, signature: 'sig', blockTime: '7' } } })).toMatchObject(
      expected,
    )
  })

  it('reads a new pair, and its migration as a flag or a word', () => {
    const pair = (migration?: unknown) =>
      read({
        method: 'newPairNotification',
        blockTime: 7,
        params: {
          pair: {
            sourceExchange: 'pumpfun',
            migration,
            baseToken: { account: 'mint', info: { metadata: { name: 'Paper Crane', symbol: 'CRANE' } } },
            quoteToken: { account: 'quote', info: null },
          },
        },
      })

    expect(pair()).toMatchObject({
      kind: 'pair',
      name: 'Paper Crane',
      symbol: 'CRANE',
      mint: 'mint',
      blockTime: 7,
    })
    expect(
      [pair(), pair(null), pair(false), pair('')].map((p) => 'isMigration' in p && p.isMigration),
    ).toEqual(Array(4).fill(false))
    expect([pair(true), pair('pumpfun')].map((p) => 'isMigration' in p && p.isMigration)).toEqual([
      true,
      true,
    ])
  })

  it('reads an unknown USD value as null, never as 0', () => {
    for (const usdValue of [null, undefined, '', 'soon', Number.NaN]) {
      expect(read({ method: 'swapNotification', params: { swap: { ...swap, usdValue } } })).toMatchObject({
        usd: null,
      })
    }
  })

  it('reads a block of the block feed', () => {
    expect(read({ method: 'latestBlockNotification', params: { block: 398214771, blockTime: 5 } })).toEqual({
      kind: 'block',
      block: 398214771,
      blockTime: 5,
    })
  })

  it('shows results as one line, and errors with their sentence', () => {
    expect(readEvent('{"id":1,\n "result":{"subscription_id":1}}')).toMatchObject({
      tone: 'result',
      words: '{"id":1, "result":{"subscription_id":1}}',
    })
    expect(
      read({ id: 1, error: { code: -32602, message: 'An empty array matches nothing.' } }),
    ).toMatchObject({
      tone: 'error',
      words: 'An empty array matches nothing.',
      detail: 'code -32602',
    })
    expect(read({ method: 'requestFailed', params: { code: -32700, message: 'Not JSON.' } })).toMatchObject({
      tone: 'error',
      words: 'Not JSON.',
    })
    expect(
      read({ method: 'subscriptionClosed', subscription_id: 2, reason: 'The service restarts.' }),
    ).toMatchObject({
      tone: 'notice',
      detail: 'The service restarts.',
    })
  })

  it('reports the end of a playback as such, and a broken one as closed', () => {
    const closed = (errorType: string, reason: string) =>
      read({ method: 'subscriptionClosed', subscription_id: 2, reason, errorType })

    expect(closed('REPLAY_ENDED', 'The replay has ended.')).toEqual({
      kind: 'message',
      tone: 'notice',
      words: 'The replay has ended.',
      detail: '',
    })
    expect(closed('REPLAY_AWAY', 'The archive is away; try again in a minute.')).toMatchObject({
      words: 'Subscription closed',
      detail: 'The archive is away; try again in a minute.',
    })
  })

  it('reports a gap in a separate row', () => {
    const gap = (fromSlot: unknown, toSlot: unknown, cause: string) =>
      read({ method: 'gapNotification', params: { subscription_id: 1, fromSlot, toSlot, cause } })

    expect(gap(100, 111, 'upstream')).toEqual({
      kind: 'message',
      tone: 'gap',
      words: 'Slots 100 to 111 are missing here.',
      detail: 'the source did not give them',
    })
    expect(gap(100, 100, 'another')).toMatchObject({
      words: 'Slots 100 to 100 are missing here.',
      detail: 'another',
    })
    expect(gap(null, undefined, '')).toMatchObject({ tone: 'gap', words: 'Some slots are missing here.' })
  })

  it('never fails, whatever arrives', () => {
    const method = fc.constantFrom('swapNotification', 'newPairNotification', 'latestBlockNotification', 'x')
    const frame = fc.record(
      { method, params: fc.jsonValue(), error: fc.jsonValue() },
      { requiredKeys: ['method'] },
    )

    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          frame.map((f) => JSON.stringify(f)),
        ),
        (text) => {
          expect(['swap', 'pair', 'block', 'message']).toContain(readEvent(text).kind)
        },
      ),
    )
  })
})
