import {
  encodeBase58,
  formatCursor,
  type NewPair,
  type StreamEvent,
  type Swap,
  WRAPPED_SOL,
} from '@pairwire/contract'

/** Returns a different address for each number. */
export function address(number: number): string {
  const bytes = new Uint8Array(32).fill(7)
  new DataView(bytes.buffer).setUint32(28, number)
  return encodeBase58(bytes)
}

let slot = 1_000

const nextPlace = () => {
  slot++
  return { slot, cursor: formatCursor({ run: 1, slot, transactionIndex: 0, eventIndex: 0 }) }
}

/** A swap, later in the stream than any event made before. */
export function aSwap(change: Partial<Swap> = {}): StreamEvent & { kind: 'swap' } {
  const { slot, cursor } = nextPlace()
  const swap: Swap = {
    sourceExchange: 'pumpswap',
    ammAccount: address(1),
    baseTokenMint: address(2),
    quoteTokenMint: WRAPPED_SOL,
    walletAccount: address(3),
    quotePrice: '0.000000123456789',
    usdValue: null,
    baseAmount: '1000000',
    quoteAmount: '123',
    swapType: 'buy',
    quoteTokenLiquidity: '',
    ...change,
  }
  return { kind: 'swap', cursor, params: { slot, signature: 'signature', blockTime: 1_795_000_000, swap } }
}

/** A new pair, later in the stream than any event made before. */
export function aNewPair(change: Partial<NewPair> = {}): StreamEvent & { kind: 'newPair' } {
  const { slot, cursor } = nextPlace()
  const pair: NewPair = {
    sourceExchange: 'raydium',
    ammAccount: address(1),
    baseToken: { account: address(2), info: null },
    quoteToken: { account: WRAPPED_SOL, info: null },
    baseTokenLiquidityAdded: '1',
    quoteTokenLiquidityAdded: '2',
    migration: null,
    ...change,
  }
  return { kind: 'newPair', cursor, params: { slot, signature: 'signature', blockTime: 1_795_000_000, pair } }
}

/** A block, later in the stream than any event made before. */
export function aBlock(): StreamEvent & { kind: 'latestBlock' } {
  const { slot, cursor } = nextPlace()
  return { kind: 'latestBlock', cursor, params: { block: slot, blockTime: 1_795_000_000 } }
}
