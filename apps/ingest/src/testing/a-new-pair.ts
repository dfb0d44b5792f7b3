import { type NewPair, WRAPPED_SOL } from '@pairwire/contract'
import type { NewPairEvent } from '../enrich/facts.ts'

/** New pair number `number`, without details of its token. */
export function aNewPair(number: number, mint: string, change: Partial<NewPair> = {}): NewPairEvent {
  return {
    kind: 'newPair',
    cursor: `cursor ${number}`,
    params: {
      ...{ slot: 7, signature: 's', blockTime: 1_795_000_000 },
      pair: {
        sourceExchange: 'raydium',
        ammAccount: `pool ${number}`,
        baseToken: { account: mint, info: null },
        quoteToken: { account: WRAPPED_SOL, info: null },
        baseTokenLiquidityAdded: '1',
        quoteTokenLiquidityAdded: '1',
        migration: null,
        ...change,
      },
    },
  }
}
