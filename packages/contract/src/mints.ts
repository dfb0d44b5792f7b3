/** Wrapped SOL, 9 decimals. Native SOL and the default address are normalised to it. */
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'
/** Circle's USDC, 6 decimals. */
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
/** Tether's USDT, 6 decimals. */
export const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
/** World Liberty Financial's USD1, 6 decimals. */
export const USD1 = 'USD1ttGY1N17NEEHLmELoaybftRBUSErhqYiQzvEmuB'

/** What is known of the mints that price a pair, in order of preference: the first one present is the quote. */
export const QUOTES: ReadonlyMap<
  string,
  Readonly<{ name: string; symbol: string; decimals: number }>
> = new Map([
  [USDC, { name: 'USD Coin', symbol: 'USDC', decimals: 6 }],
  [USDT, { name: 'USDT', symbol: 'USDT', decimals: 6 }],
  [USD1, { name: 'World Liberty Financial USD', symbol: 'USD1', decimals: 6 }],
  [WRAPPED_SOL, { name: 'Wrapped SOL', symbol: 'SOL', decimals: 9 }],
])

/** These mints. */
export const QUOTE_MINTS: readonly string[] = [...QUOTES.keys()]

/** The quotes counted as one US dollar each. */
export const STABLE_MINTS: readonly string[] = [USDC, USDT, USD1]

/** Ticker of a well-known quote mint, for display; `undefined` for any other. */
export const quoteSymbol = (mint: string): string | undefined => QUOTES.get(mint)?.symbol
