import { type TokensAnswer, USD1, USDC, USDT, WRAPPED_SOL } from '@pairwire/contract'
import { boundText } from '../bound-text.ts'
import type { TokenMemory } from './token-memory.ts'

/** What is known of these tokens, in the form of the HTTP API; null for one of which nothing is. */
export function lookUpTokens(
  tokens: Pick<TokenMemory, 'find'>,
  mints: readonly string[],
): TokensAnswer['tokens'] {
  return Object.fromEntries(mints.map((mint) => [mint, QUOTES[mint] ?? lookUp(tokens, mint)]))
}

type Answer = NonNullable<TokensAnswer['tokens'][string]>

function lookUp(tokens: Pick<TokenMemory, 'find'>, mint: string): Answer | null {
  const known = tokens.find(mint)
  if (known === undefined) return null
  const { name, symbol, description, decimals, launchpad, firstSeen } = known
  return {
    name: name && boundText(name),
    symbol: symbol && boundText(symbol),
    logo: description?.logo ?? null,
    decimals,
    launchpad,
    firstSeen: firstSeen === null ? null : new Date(firstSeen * 1000).toISOString(),
  }
}

const aQuote = (name: string, symbol: string, decimals: number): Answer => ({
  ...{ name, symbol, decimals },
  ...{ logo: null, launchpad: null, firstSeen: null },
})

/** The quotes, of which the memory keeps nothing: nearly every pair has one. */
const QUOTES: Readonly<Record<string, Answer>> = {
  [WRAPPED_SOL]: aQuote('Wrapped SOL', 'SOL', 9),
  [USDC]: aQuote('USD Coin', 'USDC', 6),
  [USDT]: aQuote('USDT', 'USDT', 6),
  [USD1]: aQuote('World Liberty Financial USD', 'USD1', 6),
}
