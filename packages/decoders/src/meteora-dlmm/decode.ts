import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { createVaultTrade } from '../vault-trade.ts'
import { INSTRUCTIONS, type InitializeAccounts, PROGRAM_ID, SWAP_ACCOUNTS } from './layout.ts'

/**
 * Meteora DLMM. Amounts are what the token transfers moved in and out of the reserves, a host's share left out. The
 * events tell nothing more: builds differ in whether their amounts are before or after a Token-2022 fee, and newer
 * ones send two for one swap. A pair is made empty; its liquidity comes later.
 */
export const meteoraDlmm: Decoder = {
  exchange: 'meteora_dlmm',
  programIds: [PROGRAM_ID],
  decode(invocation) {
    const instruction = INSTRUCTIONS.of(invocation.data)
    switch (instruction) {
      case 'swap':
        return decodeSwap(invocation)
      case 'other':
        return undefined
      default:
        return decodeInitialize(invocation, instruction)
    }
  },
}

function decodeSwap(invocation: Invocation): PoolTrade {
  const { pool, user, reserveX, reserveY, mintX, mintY, hostFee } = SWAP_ACCOUNTS
  return createVaultTrade(invocation, {
    pool,
    authority: user,
    base: { vault: reserveX, mint: mintX, stated: null, reserve: null },
    quote: { vault: reserveY, mint: mintY, stated: null, reserve: null },
    referral: hostFee,
  })
}

function decodeInitialize(invocation: Invocation, { pool, mintX, mintY }: InitializeAccounts): PoolCreation {
  return {
    kind: 'creation',
    pool: invocation.address(pool),
    base: { mint: invocation.address(mintX), amount: 0n, decimals: null },
    quote: { mint: invocation.address(mintY), amount: 0n, decimals: null },
    migration: null,
  }
}
