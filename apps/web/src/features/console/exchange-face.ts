/** How an exchange is shown: its name, two letters, and the outline of its tile. */
export type ExchangeFace = Readonly<{
  name: string
  letters: string
  outline: 'square' | 'circle' | 'leaf' | 'arch'
}>

/**
 * The face of an exchange. A pair of Raydium's launchpad (either of its two names) whose mint ends in `bonk` is
 * shown as Bonk. A name that is not known is shown as it came, since the list of exchanges is open.
 */
export function exchangeFace(exchange: string, mint: string): ExchangeFace {
  if (RAYDIUM_LAUNCHPADS.has(exchange) && mint.endsWith('bonk')) return BONK
  return (
    FACES.get(exchange) ?? { name: exchange || 'Unknown', letters: lettersOf(exchange), outline: 'square' }
  )
}

const RAYDIUM_LAUNCHPADS: ReadonlySet<string> = new Set(['raydium_launchlab', 'raydium_launchpad'])
const BONK: ExchangeFace = { name: 'Bonk', letters: 'BK', outline: 'arch' }
const LAUNCHLAB: ExchangeFace = { name: 'LaunchLab', letters: 'LL', outline: 'arch' }
const FACES: ReadonlyMap<string, ExchangeFace> = new Map([
  ['pumpfun', { name: 'Pump.fun', letters: 'PF', outline: 'circle' }],
  ['pumpswap', { name: 'PumpSwap', letters: 'PS', outline: 'circle' }],
  ['raydium', { name: 'Raydium', letters: 'RA', outline: 'square' }],
  ['raydium_clmm', { name: 'Raydium CLMM', letters: 'RC', outline: 'square' }],
  ['meteora_dlmm', { name: 'Meteora', letters: 'MT', outline: 'leaf' }],
  ['meteora_damm', { name: 'Meteora AMM', letters: 'MA', outline: 'leaf' }],
  ['meteora_damm_v2', { name: 'Meteora v2', letters: 'M2', outline: 'leaf' }],
  ['meteora_dbc', { name: 'Meteora DBC', letters: 'MB', outline: 'leaf' }],
  ['orca_whirlpool', { name: 'Orca', letters: 'OR', outline: 'circle' }],
  ['raydium_launchlab', LAUNCHLAB],
  ['raydium_launchpad', LAUNCHLAB],
])

function lettersOf(exchange: string): string {
  const words = exchange.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  const letters = words.length > 1 ? words.map((word) => word[0]).join('') : exchange
  return letters.slice(0, 2).toUpperCase() || '?'
}
