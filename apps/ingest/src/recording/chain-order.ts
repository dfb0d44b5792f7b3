import type { Transaction } from '@pairwire/decoders'

/** Position of a transaction in replay order: slot, then index in the block, then order of reading. */
export type ChainPlace = Readonly<{ slot: number; index: number; sequence: number }>

/**
 * Returns the position of each transaction of a recording, in the order of files and lines. One without a slot takes
 * the previous transaction's, and one without an index comes right after it; before the first known slot it is 0.
 */
export function createChainOrder(): (transaction: Transaction) => ChainPlace {
  let slot = 0
  let index = -1
  let sequence = 0
  return (transaction) => {
    const isSameSlot = transaction.slot === null || transaction.slot === slot
    slot = transaction.slot ?? slot
    index = transaction.index ?? (isSameSlot ? index : -1)
    return { slot, index, sequence: sequence++ }
  }
}

/** Compares two positions, for sorting. */
export function compareChainPlaces(a: ChainPlace, b: ChainPlace): number {
  return a.slot - b.slot || a.index - b.index || a.sequence - b.sequence
}
