import { QUOTE_MINTS, USD1, USDC, USDT, WRAPPED_SOL } from '@pairwire/contract'

/**
 * Whether the program's base is what the stream calls the quote: the first present of USDC, USDT, USD1 and
 * wrapped SOL is the quote; with none of them the program's own order stands.
 */
export function isReversed(baseMint: string, quoteMint: string): boolean {
  for (const mint of QUOTE_MINTS) {
    if (mint === quoteMint) return false
    if (mint === baseMint) return true
  }
  return false
}

/** Decimals of the well-known quote mints, which need no record; `undefined` for any other mint. */
export function knownDecimals(mint: string): number | undefined {
  return KNOWN_DECIMALS.get(mint)
}

const KNOWN_DECIMALS = new Map([
  [WRAPPED_SOL, 9],
  [USDC, 6],
  [USDT, 6],
  [USD1, 6],
])
