import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { readMigration } from '../migration.ts'
import { Refused } from '../refused.ts'
import { createVaultTrade } from '../vault-trade.ts'
import { INSTRUCTIONS, type InitializeAccounts, POOL, PROGRAM_ID, SWAP_ACCOUNTS } from './layout.ts'

/**
 * Meteora DAMM v1. Amounts are what the token transfers of the swap moved in and out of the vaults, which is all
 * that counts: the event rounds by shares of the vault and names neither pool nor direction. What a vault holds is
 * not the pool's, so that no reserve is told.
 */
export const meteoraDammV1: Decoder = {
  exchange: 'meteora_damm',
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
  const { vaultA, vaultB, user } = SWAP_ACCOUNTS
  const side = { mint: null, stated: null, reserve: null, isShared: true }
  return createVaultTrade(invocation, {
    pool: POOL,
    authority: user,
    base: { vault: vaultA, ...side },
    quote: { vault: vaultB, ...side },
  })
}

function decodeInitialize(
  invocation: Invocation,
  { mintA, mintB, vaults }: InitializeAccounts,
): PoolCreation {
  const amountA = vaults === null ? 0n : invocation.vaultFlow(invocation.account(vaults.a))
  const amountB = vaults === null ? 0n : invocation.vaultFlow(invocation.account(vaults.b))
  if (amountA === null || amountB === null) throw new Refused('missing_event')

  return {
    kind: 'creation',
    pool: invocation.address(POOL),
    base: { mint: invocation.address(mintA), amount: amountA, decimals: null },
    quote: { mint: invocation.address(mintB), amount: amountB, decimals: null },
    migration: readMigration(invocation),
  }
}
