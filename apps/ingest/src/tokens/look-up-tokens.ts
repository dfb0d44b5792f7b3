import { QUOTES, type TokensAnswer } from '@pairwire/contract'
import { boundText } from '../bound-text.ts'
import type { TokenMemory } from './token-memory.ts'

/** Returns the details of these tokens in the form of the HTTP API; null for unknown ones. */
export function lookUpTokens(
  tokens: Pick<TokenMemory, 'find'>,
  mints: readonly string[],
): TokensAnswer['tokens'] {
  return Object.fromEntries(mints.map((mint) => [mint, answerFor(tokens, mint)]))
}

type Answer = NonNullable<TokensAnswer['tokens'][string]>

function answerFor(tokens: Pick<TokenMemory, 'find'>, mint: string): Answer | null {
  // Of the quotes the memory keeps nothing: nearly every pair has one.
  const quote = QUOTES.get(mint)
  if (quote) return { ...quote, logo: null, launchpad: null, firstSeen: null }
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
