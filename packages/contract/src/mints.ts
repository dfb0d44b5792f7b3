/** Wrapped SOL, 9 decimals. Native SOL and the default address are normalised to it. */
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'
/** Circle's USDC, 6 decimals. */
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
/** Tether's USDT, 6 decimals. */
export const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
/** World Liberty Financial's USD1, 6 decimals. */
export const USD1 = 'USD1ttGY1N17NEEHLmELoaybftRBUSErhqYiQzvEmuB'

/** The mints that price a pair, in order of preference: the first one present is the quote. */
export const QUOTE_MINTS: readonly string[] = [USDC, USDT, USD1, WRAPPED_SOL]

/** The quotes counted as one US dollar each. */
export const STABLE_MINTS: readonly string[] = [USDC, USDT, USD1]

/** Ticker of a well-known quote mint, for display; `undefined` for any other. */
export function quoteSymbol(mint: string): string | undefined {
  return QUOTE_SYMBOLS[mint]
}

const QUOTE_SYMBOLS: Readonly<Record<string, string>> = {
  [USDC]: 'USDC',
  [USDT]: 'USDT',
  [USD1]: 'USD1',
  [WRAPPED_SOL]: 'SOL',
}
