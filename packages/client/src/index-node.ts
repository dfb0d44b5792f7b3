import { pairwireFor } from './pairwire.ts'
import { nodePlatform } from './platform-node.ts'

export * from './exports.ts'

/** {@link pairwireFor} Node, Bun and Deno. */
export const createPairwire = pairwireFor(nodePlatform)
