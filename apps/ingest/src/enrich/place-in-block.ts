import { formatCursor, LAST_PLACE } from '@pairwire/contract'
import type { BlockTransaction } from '../slot-keeper/block-transaction.ts'
import { type Block, LIVE_RUN } from '../sources/source.ts'

/** Where the events of a block's transaction stand; `at` is its place among those that came. */
export function placeOf({ run, slot, blockTime, transactions }: Block<BlockTransaction>, at: number) {
  const { index, signature } = transactions[at]!
  // Of a live block only a part comes, and whoever reads it again must make the same cursors.
  const transactionIndex = run === LIVE_RUN ? (index ?? at) : at
  return { run, slot, blockTime, transactionIndex, signature }
}

/** The event of the block itself, which stands behind all others. */
export function endOf({ run, slot, blockTime }: Block<BlockTransaction>, receivedAt: number) {
  const cursor = formatCursor({ run, slot, ...LAST_PLACE })
  return { kind: 'latestBlock', cursor, params: { block: slot, blockTime }, receivedAt } as const
}
