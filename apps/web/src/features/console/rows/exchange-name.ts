import { exchangeName as contractName } from '@pairwire/contract/exchanges'

/**
 * What an exchange is called. A pair of Raydium's launchpad (either of its two names) whose mint ends in `bonk` is
 * shown as Bonk. A name that is not known is shown as it came, since the list of exchanges is open.
 */
export function exchangeName(exchange: string, mint: string): string {
  if (exchange !== 'raydium_launchlab' && exchange !== 'raydium_launchpad')
    return contractName(exchange) || 'Unknown'
  return contractName(mint.endsWith('bonk') ? 'bonk' : 'raydium_launchlab')
}
