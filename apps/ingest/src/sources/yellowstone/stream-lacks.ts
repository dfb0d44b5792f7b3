import type { FeedFacts } from '../chain/feed.ts'
import type { StreamUpdate } from './read-update.ts'

/** Confirmed slots after which a server that has sent no block meta yet sends none. */
const MANY = 32

const NO_METAS =
  'The endpoint confirms slots and sends no block meta, by which a slot is known to be whole: nothing of it can be published.'
const NO_PARENTS =
  'The endpoint does not say which block stands before which: a slot that it leaves out cannot be noticed.'

/** Looks at what a stream says, and reports what it never does that other servers do. */
export function createLackWatch(report: (facts: FeedFacts) => void): (update: StreamUpdate) => void {
  let confirmed = 0
  let hasMetas = false
  return (update) => {
    if (hasMetas) return
    if (update.kind === 'confirmed' && ++confirmed === MANY) report({ warning: NO_METAS })
    if (update.kind !== 'blockMeta') return
    hasMetas = true
    if (update.parentSlot === 0) report({ warning: NO_PARENTS })
    else if (confirmed >= MANY) report({ warning: null })
  }
}
