import type { TokensAnswer } from '@pairwire/contract'
import { QUOTE_MINTS, quoteSymbol } from '@pairwire/contract/mints'
import { cleanName } from './clean-name.ts'

/** What a token is called and looks like. Written by strangers; empty where it is not known. */
export type TokenFace = Readonly<{ mint: string; symbol: string; name: string; logo: string }>

/** Whether all that a face says is text, as what this browser kept should be. */
export function isFace({ mint, symbol, name, logo }: Partial<TokenFace>): boolean {
  return [mint, symbol, name, logo].every((text) => typeof text === 'string')
}

/** The face of a token that every Solana program knows: wrapped SOL and the stable coins. */
export function builtInFace(mint: string): TokenFace | undefined {
  return BUILT_IN.get(mint)
}

const BUILT_IN: ReadonlyMap<string, TokenFace> = new Map(
  QUOTE_MINTS.map((mint) => {
    const symbol = quoteSymbol(mint) ?? ''
    return [mint, { mint, symbol, name: symbol, logo: `/quote-${symbol}.svg` }]
  }),
)

/** What is known of one token from two places: what `first` lacks comes from `second`. */
export function joinFaces(first: TokenFace, second: TokenFace | undefined): TokenFace {
  if (!second) return first
  const { mint, symbol, name, logo } = first
  return { mint, symbol: symbol || second.symbol, name: name || second.name, logo: logo || second.logo }
}

/** The short name of a token, fit to be shown; empty for one without any. */
export function faceSymbol(face: Pick<TokenFace, 'symbol' | 'name'> | undefined): string {
  return face ? cleanName(face.symbol) || cleanName(face.name) : ''
}

/** The faces in the server's answer about tokens; what it does not know is left out. */
export function readFaces(tokens: TokensAnswer['tokens']): readonly TokenFace[] {
  return Object.entries(tokens).flatMap(([mint, token]) => {
    const face = { mint, symbol: token?.symbol ?? '', name: token?.name ?? '', logo: token?.logo ?? '' }
    return face.symbol || face.name || face.logo ? [face] : []
  })
}
