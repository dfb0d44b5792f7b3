import { USDC, WRAPPED_SOL } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'

/** A swap for tests: 0.5 SOL for a token of 6 decimals, unless overridden. */
export function aSwap(fields: Partial<DecodedSwap> = {}): DecodedSwap {
  return {
    kind: 'swap',
    exchange: 'raydium',
    launchpad: null,
    ammAccount: '58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2',
    baseTokenMint: '4F4gGVBAGYkiUJGopoH9DZUjGFtLiKpXXW5AQovqZ7eV',
    quoteTokenMint: WRAPPED_SOL,
    walletAccount: 'CvoPbuS2AghzVBYJx7HfQGhALiqif4YwWgHvXmhehuJZ',
    swapType: 'buy',
    baseAmount: 2_000_000n,
    quoteAmount: 500_000_000n,
    baseDecimals: 6,
    quoteDecimals: 9,
    quoteTokenLiquidity: 80_000_000_000n,
    baseTokenLiquidity: null,
    walletBalance: null,
    curve: null,
    ...fields,
  }
}

/** A trade of `sol` SOL at `price` US dollars each, against USDC. */
export function aSolTrade(price: number, sol = 2, walletAccount = 'wallet'): DecodedSwap {
  return aSwap({
    baseTokenMint: WRAPPED_SOL,
    quoteTokenMint: USDC,
    baseAmount: BigInt(Math.round(sol * 1e9)),
    quoteAmount: BigInt(Math.round(sol * price * 1e6)),
    baseDecimals: 9,
    quoteDecimals: 6,
    walletAccount,
  })
}
