import { exchangeName } from '../feed/exchange-name.ts'

/** The look of an exchange: its name, two letters, and the outline of its tile. */
type ExchangeFace = Readonly<{
  name: string
  letters: string
  outline: 'square' | 'circle' | 'leaf' | 'arch'
}>

/** Returns the look of an exchange; an unknown one has a plain tile with letters of its name. */
export function exchangeFace(exchange: string, mint: string): ExchangeFace {
  const name = exchangeName(exchange, mint)
  return { name, ...(TILES.get(name) ?? { letters: lettersOf(exchange), outline: 'square' }) }
}

const TILES: ReadonlyMap<string, Omit<ExchangeFace, 'name'>> = new Map([
  ['Pump.fun', { letters: 'PF', outline: 'circle' }],
  ['PumpSwap', { letters: 'PS', outline: 'circle' }],
  ['Raydium', { letters: 'RA', outline: 'square' }],
  ['Raydium CLMM', { letters: 'RC', outline: 'square' }],
  ['Meteora', { letters: 'MT', outline: 'leaf' }],
  ['Meteora v1', { letters: 'MA', outline: 'leaf' }],
  ['Meteora v2', { letters: 'M2', outline: 'leaf' }],
  ['Meteora DBC', { letters: 'MB', outline: 'leaf' }],
  ['Orca', { letters: 'OR', outline: 'circle' }],
  ['LaunchLab', { letters: 'LL', outline: 'arch' }],
  ['Bonk', { letters: 'BK', outline: 'arch' }],
])

function lettersOf(exchange: string): string {
  const words = exchange.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  const letters = words.length > 1 ? words.map((word) => word[0]).join('') : exchange
  return letters.slice(0, 2).toUpperCase() || '?'
}
