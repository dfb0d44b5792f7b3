import type { SourceState } from '@pairwire/contract'
import type { Decoded, DecodedEvent } from '@pairwire/decoders'

/** Counts decoded events by displayed exchange. */
export function createDecodedCounts() {
  const events: Record<string, { newPairs: number; swaps: number; buys: number }> = {}
  const refusals: Record<string, number> = {}
  let inBlock = new Map<string, number>()

  return {
    /** Counts the decoded events of a transaction. */
    add(decoded: Decoded): void {
      for (const refusal of decoded.refusals) {
        const name = `${refusal.exchange} ${refusal.reason}`
        refusals[name] = (refusals[name] ?? 0) + 1
      }
      for (const event of decoded.events) {
        const exchange = shownExchange(event)
        inBlock.set(exchange, (inBlock.get(exchange) ?? 0) + 1)
        const counted = events[exchange] ?? { newPairs: 0, swaps: 0, buys: 0 }
        events[exchange] = counted
        if (event.kind === 'newPair') counted.newPairs++
        else {
          counted.swaps++
          if (event.swapType === 'buy') counted.buys++
        }
      }
    },
    /** Events by exchange since the last call. */
    takeBlock(): ReadonlyMap<string, number> {
      const byExchange = inBlock
      inBlock = new Map()
      return byExchange
    },
    read: (): Pick<SourceState, 'events' | 'refusals'> => ({ events, refusals }),
  }
}

/**
 * Returns the exchange under which an event is counted: `bonk` for launchpad tokens with that mint suffix, which is
 * displayed as an exchange of its own; else the one that it came from.
 */
export function shownExchange(event: DecodedEvent): string {
  if (event.exchange !== 'raydium_launchlab') return event.exchange
  const mint = event.kind === 'swap' ? event.baseTokenMint : event.baseToken.mint
  return mint.endsWith('bonk') ? 'bonk' : event.exchange
}
