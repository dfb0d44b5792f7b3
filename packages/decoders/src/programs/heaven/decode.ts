import type { Decoder, Outcome } from '../../decoder.ts'
import { Refused } from '../../refused.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { createPool } from '../creation.ts'
import { vaultTrade } from '../vault-trade.ts'
import { CREATE_ACCOUNTS, INSTRUCTIONS, PROGRAM_ID, readInitialPurchase, TRADE } from './layout.ts'

/**
 * Heaven. Amounts are the token transfers in and out of the vaults, as its event has only reserves. A creation may
 * include the creator's first purchase, a separate trade after it, whose SOL goes as lamports straight into the vault.
 * Its pairs name it as their launchpad, its swaps do not: they are a pool's.
 */
export const heaven: Decoder = createAnchorDecoder('heaven', [PROGRAM_ID], INSTRUCTIONS, {
  trade: vaultTrade(TRADE),
  create: decodeCreate,
})

function decodeCreate(invocation: Invocation): readonly (Outcome | Refused)[] {
  const { user, pool, mintA, mintB, userA, vaultA } = CREATE_ACCOUNTS
  const held = invocation.vaultFlow(invocation.account(vaultA))
  if (held === null) throw new Refused('missing_event')
  const bought = invocation.payment(invocation.account(vaultA), invocation.account(userA))

  const places = { pool, base: { mint: mintA }, quote: { mint: mintB }, creator: user }
  const known = { base: { amount: held + bought }, launchpad: 'heaven' } as const
  const creation = createPool(invocation, places, known)
  if (readInitialPurchase(invocation.data) === 0n) return [creation]
  return [creation, createFirstPurchase(invocation, bought)]
}

function createFirstPurchase(invocation: Invocation, bought: bigint): Outcome | Refused {
  const { user, payer, mintA, mintB, vaultA, vaultB, pool } = CREATE_ACCOUNTS
  const paid = invocation.lamportPayment(invocation.account(payer), invocation.account(vaultB))
  if (bought === 0n || paid === 0n) return new Refused('missing_event')
  return {
    kind: 'trade',
    pool: invocation.address(pool),
    wallet: invocation.wallet(user),
    base: { mint: invocation.address(mintA), amount: bought, vault: invocation.account(vaultA) },
    quote: { mint: invocation.address(mintB), amount: paid },
    givesBase: true,
  }
}
