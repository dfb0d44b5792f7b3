import { encodeBase58, type Swap } from '@pairwire/contract'
import type { Decoded } from '@pairwire/decoders'
import { swapOf } from './event-params.ts'

/**
 * What the events of a transaction are made of as far as its bytes alone tell: made as it comes, so that at the end of
 * its slot little is left to do for all of them at once.
 */
export type Prepared = Readonly<{
  /** In base58; empty where nothing happened. */
  signature: string
  /** For each of its events, where that is a swap. Its value in US dollars is left out. */
  swaps: readonly (Swap | undefined)[]
}>

/** Prepares what was decoded of a transaction. */
export function prepare({ events }: Pick<Decoded, 'events'>, signature: Uint8Array): Prepared {
  if (events.length === 0) return NOTHING
  return {
    signature: encodeBase58(signature),
    swaps: events.map((event) => (event.kind === 'swap' ? swapOf(event, null) : undefined)),
  }
}

const NOTHING: Prepared = { signature: '', swaps: [] }
