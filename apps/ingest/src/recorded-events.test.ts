import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { NewPairParams, type StreamEvent, SwapParams } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { openSource } from './sources/open-source.ts'
import { FIXTURES, fixtureSignatures, hasFixtures, isHop, readExpected } from './testing/fixtures.ts'
import { ended, START, setUp } from './testing/ingest-under-test.ts'

describe('ingest of recorded transactions', () => {
  it.skipIf(!hasFixtures)('produces the recorded mainnet events, exact to the last digit', async () => {
    const clock = createJumpingClock(START)
    const source = openSource(`replay:${FIXTURES}/transactions`, {
      clock,
      nextRun: async () => 1,
      loopByDefault: false,
    })
    const { ingest, batches, logged } = setUp(source, { clock })

    ingest.start()
    await ended(logged)

    const bySignature = new Map<string, Exclude<StreamEvent, { kind: 'latestBlock' | 'gap' }>[]>()
    for (const event of batches.flat()) {
      if (event.kind === 'latestBlock' || event.kind === 'gap') continue
      if (event.kind === 'swap' && isHop(event.params.swap.sourceExchange)) continue
      const { signature } = event.params
      bySignature.set(signature, [...(bySignature.get(signature) ?? []), event])
    }
    const expected = readExpected()
    let count = 0
    for (const signature of fixtureSignatures()) {
      const rows = expected.get(signature) ?? []
      const events = bySignature.get(signature) ?? []
      expect(events.length, signature).toBe(rows.length)
      for (const [at, row] of rows.entries()) {
        const event = events[at]!
        count++
        if (event.kind === 'newPair') {
          expect(row.kind).toBe('newPair')
          const { pair } = NewPairParams.parse(event.params)
          expect(pair, signature).toMatchObject({
            ammAccount: row.pool,
            ...(row.baseMint == null
              ? {}
              : { baseToken: { account: row.baseMint }, quoteToken: { account: row.quoteMint } }),
          })
          if (row.name !== undefined) {
            expect(pair.baseToken.info?.metadata).toMatchObject({ name: row.name, symbol: row.symbol })
          }
          continue
        }
        const { swap } = SwapParams.parse(event.params)
        const paid = row.poolAmountIn ?? row.amountIn
        const got = row.poolAmountOut ?? row.amountOut
        const [baseAmount, quoteAmount] = row.side === 'buy' ? [got, paid] : [paid, got]
        const hasTransferFee = row.verified?.includes('transfer fee')
        expect(swap, signature).toMatchObject({
          ammAccount: row.pool,
          walletAccount: row.wallet,
          ...(row.side == null
            ? {}
            : { baseTokenMint: row.baseMint, quoteTokenMint: row.quoteMint, swapType: row.side }),
          ...(hasTransferFee || row.side == null ? {} : { baseAmount, quoteAmount }),
        })
      }
    }
    expect(count).toBe([...expected.values()].flat().length)
    expect(ingest.stats().lagMs).toBeNull()
  })
})
