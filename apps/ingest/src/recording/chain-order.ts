import type { Transaction } from '@pairwire/decoders'

/** Place of a transaction in replay order: slot, then index in the block, then the order in which it was read. */
export type ChainPlace = Readonly<{ slot: number; index: number; sequence: number }>

/**
 * Gives each transaction of a recording its place, in the order of files and lines. One without a slot takes the
 * slot of the one before it, and one without an index stands right behind it; before the first known slot it is 0.
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

/** Order of two places, for sorting. */
export function compareChainPlaces(a: ChainPlace, b: ChainPlace): number {
  return a.slot - b.slot || a.index - b.index || a.sequence - b.sequence
}
