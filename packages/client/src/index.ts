import { pairwireFor } from './pairwire.ts'
import { platform } from './platform.ts'

export * from './exports.ts'

/** {@link pairwireFor} browsers and every other runtime with a `WebSocket` of its own. */
export const createPairwire = pairwireFor(platform)
