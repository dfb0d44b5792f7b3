import type { TokensAnswer } from '@pairwire/contract'
import { QUOTE_MINTS, quoteSymbol } from '@pairwire/contract/mints'
import { cleanName } from './clean-name.ts'

/** The name and look of a token. Written by strangers; empty if unknown. */
export type TokenFace = Readonly<{ mint: string; symbol: string; name: string; logo: string }>

/** Whether all fields of a face are text, as they should be in this browser's storage. */
export function isFace({ mint, symbol, name, logo }: Partial<TokenFace>): boolean {
  return [mint, symbol, name, logo].every((text) => typeof text === 'string')
}

/** Returns the face of a token that every Solana program knows: wrapped SOL and the stable coins. */
export function builtInFace(mint: string): TokenFace | undefined {
  return BUILT_IN.get(mint)
}

const BUILT_IN: ReadonlyMap<string, TokenFace> = new Map(
  QUOTE_MINTS.map((mint) => {
    const symbol = quoteSymbol(mint) ?? ''
    return [mint, { mint, symbol, name: symbol, logo: `/quote-${symbol}.svg` }]
  }),
)

/** Joins what is known of one token: fields missing in `first` come from `second`. */
export function joinFaces(first: TokenFace, second: TokenFace | undefined): TokenFace {
  if (!second) return first
  const { mint, symbol, name, logo } = first
  return { mint, symbol: symbol || second.symbol, name: name || second.name, logo: logo || second.logo }
}

/** Returns the short name of a token, cleaned for display; empty if there is none. */
export function faceSymbol(face: Pick<TokenFace, 'symbol' | 'name'> | undefined): string {
  return face ? cleanName(face.symbol) || cleanName(face.name) : ''
}

/** Reads the faces in the server's answer about tokens; unknown tokens are omitted. */
export function readFaces(tokens: TokensAnswer['tokens']): readonly TokenFace[] {
  return Object.entries(tokens).flatMap(([mint, token]) => {
    const face = { mint, symbol: token?.symbol ?? '', name: token?.name ?? '', logo: token?.logo ?? '' }
    return face.symbol || face.name || face.logo ? [face] : []
  })
}
