/** Addresses of 44 characters, as most are. */
export const MINT = 'HARBq1w2e3r4t5y6u7i8o9p1a2s3d4f5g6h7j8k9LAbc'
export const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
export const SIGNATURE =
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'

/** Where an event's fields are: in `params` itself, as in the specification, or in an object within it. */
type Form = 'params' | 'nested'

/** Members of an event other than its own fields. */
type Frame = { form?: Form; signature?: string; blockTime?: number }

/** A swap's frame; by default a buy of 412.09 USD on Raydium, now. */
export function aSwap(fields: Record<string, unknown> & Frame = {}) {
  const { form = 'nested', signature = SIGNATURE, blockTime = now(), ...own } = fields
  const swap = {
    sourceExchange: 'raydium',
    ammAccount: 'pooLpooLpooLpooLpooLpooLpooLpooLpooLpooLpooL',
    baseTokenMint: MINT,
    quoteTokenMint: WRAPPED_SOL,
    walletAccount: WALLET,
    quotePrice: '0.000109912345',
    usdValue: 412.09,
    baseAmount: '18446744073709551615',
    swapType: 'buy',
    ...own,
  }
  return frameOf('swapNotification', 'swap', swap, { form, signature, blockTime })
}

/** A new pair's frame; by default Harbour, HARB/SOL, on Pump.fun, now. */
export function aPair(
  fields: {
    mint?: string
    name?: string
    symbol?: string
    exchange?: string
    migration?: unknown
    metadata?: unknown
  } & Frame = {},
) {
  const { form = 'nested', signature = SIGNATURE, blockTime = now() } = fields
  const { mint = MINT, name = 'Harbour', symbol = 'HARB', exchange = 'pumpfun', migration = null } = fields
  const pair = {
    sourceExchange: exchange,
    ammAccount: 'pooLpooLpooLpooLpooLpooLpooLpooLpooLpooLpooL',
    baseToken: {
      account: mint,
      info: {
        decimals: 6,
        supply: '1000000000000000',
        metadata: 'metadata' in fields ? fields.metadata : { name, symbol, logo: null, socials: null },
      },
    },
    quoteToken: { account: WRAPPED_SOL, info: null },
    migration,
  }
  return frameOf('newPairNotification', 'pair', pair, { form, signature, blockTime })
}

/** A frame of the block feed. */
export function aBlock(block: number) {
  return {
    subscription_id: 9,
    method: 'latestBlockNotification',
    params: { slot: block, block, blockTime: now() },
  }
}

/** The current time in Unix seconds. */
export function now(): number {
  return Math.floor(Date.now() / 1_000)
}

function frameOf(
  method: string,
  member: string,
  own: object,
  { form, signature, blockTime }: Required<Frame>,
) {
  return form === 'nested'
    ? {
        subscription_id: 1,
        method,
        params: { slot: 1, signature, blockTime, [member]: own },
        cursor: '1.1.1',
      }
    : { blockTime, signature, method, params: own }
}
