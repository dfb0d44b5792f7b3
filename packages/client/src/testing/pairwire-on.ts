import type { PairwireOptions } from '../config.ts'
import { type Pairwire, pairwireFor } from '../pairwire.ts'
import { type Platform, platform } from '../platform.ts'

/** The SDK on a clock, chance and a websocket class that a test holds; what it leaves out is the runtime's. */
export function createPairwireOn(held: Partial<Platform>, options: PairwireOptions): Pairwire {
  return pairwireFor({ ...platform, ...held })(options)
}
