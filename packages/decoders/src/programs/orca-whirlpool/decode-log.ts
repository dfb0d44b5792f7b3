import { holdsAt } from '../../bytes/discriminator.ts'
import type { LogDecoder } from '../../logs/log-decoder.ts'
import { addressOf } from '../../transaction/call-tree.ts'
import { POOL_INITIALIZED_EVENT, PROGRAM_ID, readPoolInitializedEvent } from './layout.ts'

/** Orca Whirlpool's new pools from its logs. Logged swaps lack the trader, and so are not decoded. */
export const orcaWhirlpoolLogs: LogDecoder = {
  exchange: 'orca_whirlpool',
  programId: PROGRAM_ID,
  gives: ['newPair'],
  decode(call, at) {
    const data = call.events[at]!
    if (!holdsAt(data, POOL_INITIALIZED_EVENT, 0)) return undefined
    const { pool, mintA, mintB, decimalsA, decimalsB } = readPoolInitializedEvent(data.subarray(8))
    return {
      kind: 'creation',
      pool: addressOf(pool),
      base: { mint: addressOf(mintA), amount: 0n, decimals: decimalsA },
      quote: { mint: addressOf(mintB), amount: 0n, decimals: decimalsB },
    }
  },
}
