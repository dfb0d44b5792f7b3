import type { PairwireOptions } from '../config.ts'
import { type Pairwire, pairwireFor } from '../pairwire.ts'
import type { Platform } from '../platform.ts'
import { nodePlatform } from '../platform-node.ts'

/** The SDK with a clock, random numbers and a websocket class given by a test; other parts are the runtime's. */
export function createPairwireOn(held: Partial<Platform>, options: PairwireOptions): Pairwire {
  return pairwireFor({ ...nodePlatform, ...held })(options)
}
