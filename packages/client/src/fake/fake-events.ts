/** An event as a test makes it: the frame's `params`, to which the fake server adds slot, time and cursor. */
export type FakeEvent = Readonly<{
  signature?: string
  slot?: number
  swap?: object
  pair?: object
  /** Of a pair's update. */
  ammAccount?: string
  baseToken?: object
  /** Of a dropped slot. */
  signatures?: readonly string[]
}>

/** A request as it came. */
export type FakeRequest = Readonly<{
  id?: unknown
  method: string
  params: Readonly<Record<string, unknown>>
}>

/** What the fake server keeps: the frame without its subscription, and its place, which a gap has too. */
export type KeptItem = Readonly<{
  kind: string
  cursor: string
  frame: Readonly<{ method: string; params: object }>
}>

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'

/** Addresses of nobody, of 32 bytes like any other. */
const [POOL, MINT, WALLET] = ['2', '3', '4'].map((last) => last.padStart(32, '1'))

let made = 0

/** A swap with a signature of its own; `change` says what its test is about. */
export function aSwap(change: object = {}): FakeEvent {
  const swap = {
    sourceExchange: 'pumpswap',
    ammAccount: POOL,
    baseTokenMint: MINT,
    quoteTokenMint: WRAPPED_SOL,
    walletAccount: WALLET,
    quotePrice: '0.000000123456789',
    usdValue: 12_000,
    baseAmount: '1000000',
    quoteAmount: '123',
    swapType: 'buy',
    quoteTokenLiquidity: '',
    ...change,
  }
  return { signature: `fakeSwap${++made}`, swap }
}

/** A new pair with a signature of its own. */
export function aNewPair(change: object = {}): FakeEvent {
  const pair = {
    sourceExchange: 'raydium',
    ammAccount: POOL,
    baseToken: { account: MINT, info: null },
    quoteToken: { account: WRAPPED_SOL, info: null },
    baseTokenLiquidityAdded: '1',
    quoteTokenLiquidityAdded: '2',
    migration: null,
    ...change,
  }
  return { signature: `fakePair${++made}`, pair }
}
