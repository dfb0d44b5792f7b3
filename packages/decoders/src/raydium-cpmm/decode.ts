import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { compareKeys, isSameKey } from '../key-table.ts'
import { readMigration } from '../migration.ts'
import { Refused } from '../refused.ts'
import { createVaultTrade, type VaultSide } from '../vault-trade.ts'
import {
  INSTRUCTIONS,
  type InitializeAccounts,
  PROGRAM_ID,
  readSwapEvent,
  SWAP_ACCOUNTS,
  SWAP_EVENT,
  type SwapEvent,
} from './layout.ts'

/**
 * Raydium CPMM. Amounts are what the token transfers moved in and out of the vaults as their balances count
 * them; where a Token-2022 fee hides that, the logged event's, which leaves the fee out too.
 */
export const raydiumCpmm: Decoder = {
  exchange: 'raydium',
  programIds: [PROGRAM_ID],
  decode(invocation) {
    const instruction = INSTRUCTIONS.of(invocation.data)
    switch (instruction?.kind) {
      case 'swap':
        return decodeSwap(invocation)
      case 'initialize':
        return decodeInitialize(invocation, instruction.accounts)
      default:
        return undefined
    }
  },
}

function decodeSwap(invocation: Invocation): PoolTrade {
  const event = readLoggedSwap(invocation)
  const input: VaultSide = {
    vault: SWAP_ACCOUNTS.inputVault,
    mint: SWAP_ACCOUNTS.inputMint,
    stated: event === undefined ? null : event.inputAmount,
    reserve: event === undefined ? null : event.inputReserveBefore + event.inputAmount,
  }
  const output: VaultSide = {
    vault: SWAP_ACCOUNTS.outputVault,
    mint: SWAP_ACCOUNTS.outputMint,
    stated: event === undefined ? null : -event.outputAmount,
    reserve: event === undefined ? null : event.outputReserveBefore - event.outputAmount,
  }
  // The pool's own order is that of the mints' keys; the first is its base.
  const isInputFirst =
    compareKeys(invocation.key(SWAP_ACCOUNTS.inputMint), invocation.key(SWAP_ACCOUNTS.outputMint)) < 0
  return createVaultTrade(invocation, {
    pool: SWAP_ACCOUNTS.pool,
    authority: SWAP_ACCOUNTS.payer,
    base: isInputFirst ? input : output,
    quote: isInputFirst ? output : input,
  })
}

function decodeInitialize(invocation: Invocation, accounts: InitializeAccounts): PoolCreation {
  const amount0 = invocation.vaultFlow(invocation.account(accounts.vault0))
  const amount1 = invocation.vaultFlow(invocation.account(accounts.vault1))
  if (amount0 === null || amount1 === null) throw new Refused('missing_event')

  return {
    kind: 'creation',
    pool: invocation.address(accounts.pool),
    base: { mint: invocation.address(accounts.mint0), amount: amount0, decimals: null },
    quote: { mint: invocation.address(accounts.mint1), amount: amount1, decimals: null },
    migration: readMigration(invocation),
  }
}

/** The event of this very instruction; `undefined` when the logs do not have it. */
function readLoggedSwap(invocation: Invocation): SwapEvent | undefined {
  const body = invocation.loggedEvent(SWAP_EVENT)
  if (body === undefined) return undefined
  const event = readSwapEvent(body)
  return isSameKey(event.pool, invocation.key(SWAP_ACCOUNTS.pool)) ? event : undefined
}
