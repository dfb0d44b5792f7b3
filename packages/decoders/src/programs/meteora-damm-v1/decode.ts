import type { Decoder } from '../../decoder.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { newPool } from '../creation.ts'
import { vaultTrade } from '../vault-trade.ts'
import {
  INITIALIZE,
  INITIALIZE_EMPTY,
  INITIALIZE_WITH_CONFIG,
  INSTRUCTIONS,
  PROGRAM_ID,
  SWAP,
} from './layout.ts'

/**
 * Meteora DAMM v1. Amounts are the token transfers of the swap in and out of the vaults: the event rounds by shares of
 * the vault and names neither pool nor direction. Vaults are shared between pools, so there is no reserve.
 */
export const meteoraDammV1: Decoder = createAnchorDecoder('meteora_damm', [PROGRAM_ID], INSTRUCTIONS, {
  swap: vaultTrade(SWAP),
  initialize: newPool(INITIALIZE, { mayMigrate: true }),
  initializeEmpty: newPool(INITIALIZE_EMPTY, { mayMigrate: true }),
  initializeWithConfig: newPool(INITIALIZE_WITH_CONFIG, { mayMigrate: true }),
})
