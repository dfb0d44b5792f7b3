import { useSyncExternalStore } from 'react'
import { cleanName } from '../feed/clean-name.ts'
import { feed } from '../feed/feed.ts'
import type { Row } from '../feed/row.ts'
import { faceSymbol, joinFaces, type TokenFace } from '../feed/token-face.ts'

/** Returns what is known of a token, and redraws when more becomes known. */
export function useTokenFace(mint: string): TokenFace | undefined {
  return useSyncExternalStore(feed.names.subscribe, () => feed.names.read(mint))
}

/** Returns a row with everything known of its token, beyond its own frame. */
export function withFace(row: Row, face: TokenFace | undefined): Row {
  const { reading, symbol } = row
  if (!face || reading.kind === 'message') return row
  if (reading.kind === 'swap') return { ...row, symbol: cleanName(symbol) || faceSymbol(face) }
  const { mint, name, symbol: own, logo } = reading
  return { ...row, reading: { ...reading, ...joinFaces({ mint, name, symbol: own, logo }, face) } }
}
