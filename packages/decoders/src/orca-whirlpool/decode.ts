import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { Refused } from '../refused.ts'
import { createVaultTrade } from '../vault-trade.ts'
import {
  IMMUTABLE_PROGRAM_ID,
  INITIALIZE_MINTS,
  INSTRUCTIONS,
  PROGRAM_ID,
  readTwoHopSwapV2,
  type SwapAccounts,
} from './layout.ts'

/**
 * Orca Whirlpool. Amounts are what the token transfers moved in and out of the vaults, Token-2022 fees as the
 * vaults count them. A swap of two hops gives two trades. A pool is made empty; its liquidity comes later.
 */
export const orcaWhirlpool: Decoder = {
  exchange: 'orca_whirlpool',
  programIds: [PROGRAM_ID, IMMUTABLE_PROGRAM_ID],
  decode(invocation) {
    const instruction = INSTRUCTIONS.of(invocation.data)
    switch (instruction) {
      case 'other':
        return undefined
      case 'two_hop_swap_v2': {
        const swaps = readTwoHopSwapV2(invocation.data)
        if (swaps === undefined) throw new Refused('truncated')
        return decodeSwaps(invocation, swaps)
      }
      default:
        return 'pool' in instruction
          ? decodeInitialize(invocation, instruction.pool)
          : decodeSwaps(invocation, instruction)
    }
  },
}

function decodeSwaps(
  invocation: Invocation,
  swaps: readonly SwapAccounts[],
): readonly (PoolTrade | Refused)[] {
  return swaps.map((swap) => {
    try {
      return decodeSwap(invocation, swap)
    } catch (error) {
      if (error instanceof Refused) return error
      throw error
    }
  })
}

function decodeSwap(invocation: Invocation, swap: SwapAccounts): PoolTrade {
  const { authority, pool, mintA, mintB, vaultA, vaultB } = swap
  return createVaultTrade(invocation, {
    pool,
    authority,
    base: { vault: vaultA, mint: mintA, stated: null, reserve: null },
    quote: { vault: vaultB, mint: mintB, stated: null, reserve: null },
  })
}

function decodeInitialize(invocation: Invocation, pool: number): PoolCreation {
  const { mintA, mintB } = INITIALIZE_MINTS
  return {
    kind: 'creation',
    pool: invocation.address(pool),
    base: { mint: invocation.address(mintA), amount: 0n, decimals: null },
    quote: { mint: invocation.address(mintB), amount: 0n, decimals: null },
    migration: null,
  }
}
