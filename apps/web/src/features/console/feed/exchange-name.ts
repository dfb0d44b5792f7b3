import { exchangeName as contractName } from '@pairwire/contract/exchanges'

/**
 * Returns the displayed name of an exchange. A pair of Raydium's launchpad (under either of its two names) whose mint
 * ends in `bonk` is shown as Bonk. An unknown name is shown unchanged, since the list of exchanges is open.
 */
export function exchangeName(exchange: string, mint: string): string {
  if (exchange !== 'raydium_launchlab' && exchange !== 'raydium_launchpad')
    return contractName(exchange) || 'Unknown'
  return contractName(mint.endsWith('bonk') ? 'bonk' : 'raydium_launchlab')
}
