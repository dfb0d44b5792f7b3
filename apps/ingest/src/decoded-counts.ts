import type { Decoded } from '@pairwire/decoders'
import { shownExchange } from './shown-exchange.ts'

/** What was decoded, counted by exchange as people are shown it. */
type DecodedCounts = Readonly<{
  /** Counts what was decoded of a transaction. */
  add(decoded: Decoded): void
  /** Events by exchange since the last call. */
  takeBlock(): ReadonlyMap<string, number>
  read(): DecodedFigures
}>

/** What was decoded since the start. */
export type DecodedFigures = Readonly<{
  /** Events published, by exchange as people are shown it; `buys` of the swaps were buys. */
  events: Readonly<Record<string, Readonly<{ newPairs: number; swaps: number; buys: number }>>>
  /** Bytes that gave no event although they may have meant one, by `exchange reason`. */
  refusals: Readonly<Record<string, number>>
}>

/** Counts from nothing. */
export function createDecodedCounts(): DecodedCounts {
  const events: Record<string, { newPairs: number; swaps: number; buys: number }> = {}
  const refusals: Record<string, number> = {}
  let inBlock = new Map<string, number>()

  return {
    add(decoded) {
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
    takeBlock() {
      const byExchange = inBlock
      inBlock = new Map()
      return byExchange
    },
    read: () => ({ events, refusals }),
  }
}
