import type { StreamEvent } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { readEvents, writeRecord } from './event-record.ts'

const SWAP: StreamEvent = {
  kind: 'swap',
  cursor: '1-0000000001-00000-000',
  params: {
    slot: 1,
    signature: 'signature',
    blockTime: 1_790_000_000,
    swap: {
      sourceExchange: 'raydium',
      ammAccount: 'pool',
      baseTokenMint: 'base',
      quoteTokenMint: 'quote',
      walletAccount: 'wallet',
      quotePrice: '0.333333333',
      usdValue: 1.5,
      baseAmount: '3000000',
      quoteAmount: '1000000000',
      swapType: 'buy',
      quoteTokenLiquidity: '',
    },
  },
}

describe('a record of events', () => {
  // Guards all others: a filter reads each event, and parsing outside the turn is charged to nobody.
  it('is parsed in the turn that pays for it, and only split for a reader without turns', async () => {
    const record = await writeRecord([SWAP], true)
    const isParsed = ([event]: readonly StreamEvent[]) =>
      Object.getOwnPropertyDescriptor(event!, 'params')!.get === undefined

    const paid = await readEvents(record, async (_bytes, work) => work())
    const passedOn = await readEvents(record)

    expect([isParsed(paid), isParsed(passedOn)]).toEqual([true, false])
    expect([paid[0]?.params, passedOn[0]?.params]).toEqual([SWAP.params, SWAP.params])
  })
})
