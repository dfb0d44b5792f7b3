import { isSameKey } from '../../bytes/key-table.ts'
import type { Decoder, PoolTrade } from '../../decoder.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { createPool, newPool } from '../creation.ts'
import { readMigration } from '../migration.ts'
import { createDirectedTrade } from '../vault-trade.ts'
import {
  INITIALIZE,
  INITIALIZE_CREATOR,
  INITIALIZE_WITH_PERMISSION,
  INSTRUCTIONS,
  PROGRAM_ID,
  readSwapEvent,
  SWAP,
  SWAP_EVENT,
  type SwapEvent,
} from './layout.ts'

/**
 * Raydium CPMM. Amounts are the token transfers in and out of the vaults as their balances count them; if a Token-2022
 * fee hides that, those of the logged event, which exclude the fee too.
 */
export const raydiumCpmm: Decoder = createAnchorDecoder('raydium', [PROGRAM_ID], INSTRUCTIONS, {
  swap: decodeSwap,
  initialize(invocation) {
    // A launchpad that moves a curve here signs as the creator itself.
    const creator = invocation.wallet(INITIALIZE_CREATOR)
    return createPool(invocation, INITIALIZE, { migration: readMigration(invocation), creator })
  },
  initializeWithPermission: newPool(INITIALIZE_WITH_PERMISSION, { mayMigrate: true }),
})

function decodeSwap(invocation: Invocation): PoolTrade {
  const event = readLoggedSwap(invocation)
  if (event === undefined) return createDirectedTrade(invocation, SWAP)
  const { inputAmount, outputAmount, inputReserveBefore, outputReserveBefore } = event
  return createDirectedTrade(invocation, SWAP, {
    incoming: { stated: inputAmount, reserve: inputReserveBefore + inputAmount },
    outgoing: { stated: -outputAmount, reserve: outputReserveBefore - outputAmount },
  })
}

/** Reads the event of this very instruction; `undefined` when the logs lack it. */
function readLoggedSwap(invocation: Invocation): SwapEvent | undefined {
  const body = invocation.loggedEvent(SWAP_EVENT)
  if (body === undefined) return undefined
  const event = readSwapEvent(body)
  return isSameKey(event.pool, invocation.key(SWAP.pool)) ? event : undefined
}
