import type { Decoder, PoolTrade } from '../../decoder.ts'
import { Refused } from '../../refused.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { newPool } from '../creation.ts'
import { createVaultTrade, type VaultTrade, vaultTrade } from '../vault-trade.ts'
import {
  IMMUTABLE_PROGRAM_ID,
  INITIALIZE,
  INITIALIZE_V2,
  INITIALIZE_WITH_ADAPTIVE_FEE,
  INSTRUCTIONS,
  PROGRAM_ID,
  readTwoHopSwapV2,
  SWAP,
  SWAP_V2,
  TWO_HOP_SWAP,
} from './layout.ts'

/**
 * Orca Whirlpool. Amounts are the token transfers in and out of the vaults, with Token-2022 fees as the vaults count
 * them. A two-hop swap is two trades. A pool is created empty; its liquidity comes later.
 */
export const orcaWhirlpool: Decoder = createAnchorDecoder(
  'orca_whirlpool',
  [PROGRAM_ID, IMMUTABLE_PROGRAM_ID],
  INSTRUCTIONS,
  {
    swap: vaultTrade(SWAP),
    swapV2: vaultTrade(SWAP_V2),
    twoHopSwap: (invocation) => decodeHops(invocation, TWO_HOP_SWAP),
    twoHopSwapV2(invocation) {
      const hops = readTwoHopSwapV2(invocation.data)
      if (hops === undefined) throw new Refused('truncated')
      return decodeHops(invocation, hops)
    },
    initialize: newPool(INITIALIZE),
    initializeV2: newPool(INITIALIZE_V2),
    initializeWithAdaptiveFee: newPool(INITIALIZE_WITH_ADAPTIVE_FEE),
  },
)

function decodeHops(invocation: Invocation, hops: readonly VaultTrade[]): readonly (PoolTrade | Refused)[] {
  return hops.map((hop) => {
    try {
      return createVaultTrade(invocation, hop)
    } catch (error) {
      if (error instanceof Refused) return error
      throw error
    }
  })
}
