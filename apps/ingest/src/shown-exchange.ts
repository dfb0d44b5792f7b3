import type { DecodedEvent } from '@pairwire/decoders'

/**
 * The exchange under which an event is counted: `bonk` for the launchpad's tokens whose mint ends so, which people are
 * shown as an exchange of their own; else the one that it came from.
 */
export function shownExchange(event: DecodedEvent): string {
  if (event.exchange !== 'raydium_launchlab') return event.exchange
  const mint = event.kind === 'swap' ? event.baseTokenMint : event.baseToken.mint
  return mint.endsWith('bonk') ? 'bonk' : event.exchange
}
