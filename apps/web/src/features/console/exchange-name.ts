/**
 * What an exchange is called. A pair of Raydium's launchpad (either of its two names) whose mint ends in `bonk` is
 * shown as Bonk. A name that is not known is shown as it came, since the list of exchanges is open.
 */
export function exchangeName(exchange: string, mint: string): string {
  const name = NAMES.get(exchange)
  return name === 'LaunchLab' && mint.endsWith('bonk') ? 'Bonk' : (name ?? (exchange || 'Unknown'))
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['pumpfun', 'Pump.fun'],
  ['pumpswap', 'PumpSwap'],
  ['raydium', 'Raydium'],
  ['raydium_clmm', 'Raydium CLMM'],
  ['meteora_dlmm', 'Meteora'],
  ['meteora_damm', 'Meteora AMM'],
  ['meteora_damm_v2', 'Meteora v2'],
  ['meteora_dbc', 'Meteora DBC'],
  ['orca_whirlpool', 'Orca'],
  ['raydium_launchlab', 'LaunchLab'],
  ['raydium_launchpad', 'LaunchLab'],
])
