import type { Decoder, Outcome, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { Refused } from '../refused.ts'
import { createVaultTrade } from '../vault-trade.ts'
import { CREATE_ACCOUNTS, INSTRUCTIONS, PROGRAM_ID, readInitialPurchase, TRADE_ACCOUNTS } from './layout.ts'

/**
 * Heaven. Amounts are what the token transfers moved in and out of the vaults: its event states reserves only. A
 * creation may hold the creator's first purchase, which is a trade of its own after it; the SOL of that comes as
 * lamports straight into the vault.
 */
export const heaven: Decoder = {
  exchange: 'heaven',
  programIds: [PROGRAM_ID],
  decode(invocation) {
    switch (INSTRUCTIONS.of(invocation.data)) {
      case 'trade':
        return decodeTrade(invocation)
      case 'create':
        return decodeCreate(invocation)
      default:
        return undefined
    }
  },
}

function decodeTrade(invocation: Invocation): PoolTrade {
  const { pool, user, mintA, mintB, vaultA, vaultB } = TRADE_ACCOUNTS
  return createVaultTrade(invocation, {
    pool,
    authority: user,
    base: { vault: vaultA, mint: mintA, stated: null, reserve: null },
    quote: { vault: vaultB, mint: mintB, stated: null, reserve: null },
    launchpad: 'heaven',
  })
}

function decodeCreate(invocation: Invocation): readonly (Outcome | Refused)[] {
  const { mintA, mintB, userA, vaultA, pool } = CREATE_ACCOUNTS
  const held = invocation.vaultFlow(invocation.account(vaultA))
  if (held === null) throw new Refused('missing_event')
  const bought = invocation.payment(invocation.account(vaultA), invocation.account(userA))

  const creation: Outcome = {
    kind: 'creation',
    pool: invocation.address(pool),
    base: { mint: invocation.address(mintA), amount: held + bought, decimals: null },
    quote: { mint: invocation.address(mintB), amount: 0n, decimals: null },
    migration: null,
    launchpad: 'heaven',
  }
  if (readInitialPurchase(invocation.data) === 0n) return [creation]
  return [creation, createFirstPurchase(invocation, bought)]
}

function createFirstPurchase(invocation: Invocation, bought: bigint): PoolTrade | Refused {
  const { user, payer, mintA, mintB, vaultA, vaultB, pool } = CREATE_ACCOUNTS
  const paid = invocation.lamportPayment(invocation.account(payer), invocation.account(vaultB))
  if (bought === 0n || paid === 0n) return new Refused('missing_event')
  return {
    kind: 'trade',
    pool: invocation.address(pool),
    wallet: invocation.wallet(user),
    base: {
      mint: invocation.address(mintA),
      amount: bought,
      decimals: null,
      reserve: null,
      vault: invocation.account(vaultA),
    },
    quote: { mint: invocation.address(mintB), amount: paid, decimals: null, reserve: null, vault: null },
    givesBase: true,
    launchpad: 'heaven',
  }
}
