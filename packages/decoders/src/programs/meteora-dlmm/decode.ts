import type { Decoder } from '../../decoder.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { newPool } from '../creation.ts'
import { vaultTrade } from '../vault-trade.ts'
import { INITIALIZE, INITIALIZE_PERMISSION, INSTRUCTIONS, PROGRAM_ID, SWAP } from './layout.ts'

/**
 * Meteora DLMM. Amounts are the token transfers in and out of the reserves without a host's share. The events add
 * nothing: builds differ in whether their amounts are before or after a Token-2022 fee, and newer ones send two for one
 * swap. A pair is created empty; its liquidity comes later.
 */
export const meteoraDlmm: Decoder = createAnchorDecoder('meteora_dlmm', [PROGRAM_ID], INSTRUCTIONS, {
  swap: vaultTrade(SWAP),
  initialize: newPool(INITIALIZE),
  initializePermission: newPool(INITIALIZE_PERMISSION),
})
