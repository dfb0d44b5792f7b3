/** An event as a test writes it: the frame's `params`, to which the fake server adds slot, time and cursor. */
export type FakeEvent = Readonly<{
  signature?: string
  slot?: number
  swap?: object
  pair?: object
  /** Sent to subscriptions with `facts: true`. */
  facts?: object
  /** Only in a pair update. */
  ammAccount?: string
  baseToken?: object
  /** Only in a dropped slot. */
  signatures?: readonly string[]
}>

/** A request as received. */
export type FakeRequest = Readonly<{
  id?: unknown
  method: string
  params: Readonly<Record<string, unknown>>
}>

/** An item kept for resuming: the frame without its subscription, and its cursor. Gaps have one too. */
export type KeptItem = Readonly<{
  kind: string
  cursor: string
  frame: Readonly<{ method: string; params: object }>
  /** Beside the cursor, for a client that asked for them. */
  facts?: object | undefined
}>

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'

/** Made-up addresses of 32 bytes. */
const [POOL, MINT, WALLET] = ['2', '3', '4'].map((last) => last.padStart(32, '1'))

let made = 0

/** A swap with a unique signature; `change` and `factsChange` override fields. */
export function aSwap(change: object = {}, factsChange: object = {}): FakeEvent {
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
  const facts = { marketCap: '123.456789', walletBalance: '1000000', curve: null, ...factsChange }
  return { signature: `fakeSwap${++made}`, swap, facts }
}

/** A new pair with a unique signature; `change` and `factsChange` override fields. */
export function aNewPair(change: object = {}, factsChange: object = {}): FakeEvent {
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
  const facts = {
    ...{ creator: WALLET, uri: null, creatorBuy: null, slotBuyers: 0, slotBuyShare: null },
    ...{ curve: null, marketCap: null, ...factsChange },
  }
  return { signature: `fakePair${++made}`, pair, facts }
}
