import type { FeedFacts } from '../chain/feed.ts'
import type { StreamUpdate } from './read-update.ts'

/** Confirmed slots without a block meta, or transactions without an index, after which none is expected. */
const MANY = 32

const NO_METAS =
  'The endpoint confirms slots but sends no block meta, which tells that a slot is whole: nothing from it can be published.'
const NO_INDEXES =
  'The endpoint does not say where in its block a transaction is, so its slots cannot be put in order. The service fetches them from SOLANA_RPC_URL; without one they become gaps.'
const NO_PARENTS =
  'The endpoint does not say which block follows which: nobody can notice a slot that it leaves out.'

/** Watches a stream, and reports what it never sends that other servers do. */
export function createLackWatch(report: (facts: FeedFacts) => void): (update: StreamUpdate) => void {
  let confirmed = 0
  let hasMetas = false
  let withoutIndex = 0
  let hasIndexes = false
  return (update) => {
    if (update.kind === 'transaction' && !hasIndexes) {
      hasIndexes = update.index > 0
      if (!hasIndexes && ++withoutIndex === MANY) report({ warning: NO_INDEXES })
    }
    if (hasMetas) return
    if (update.kind === 'confirmed' && ++confirmed === MANY) report({ warning: NO_METAS })
    if (update.kind !== 'blockMeta') return
    hasMetas = true
    if (update.parentSlot === 0) report({ warning: NO_PARENTS })
    else if (confirmed >= MANY) report({ warning: null })
  }
}
