import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { isSameKey } from '../key-table.ts'
import { readMigration } from '../migration.ts'
import { Refused } from '../refused.ts'
import { createVaultTrade } from '../vault-trade.ts'
import {
  INSTRUCTIONS,
  type InitializeAccounts,
  OLD_SWAP_EVENT,
  PROGRAM_ID,
  readOldSwapEvent,
  readSwapEvent,
  SWAP_ACCOUNTS,
  SWAP_EVENT,
  type SwapEvent,
} from './layout.ts'

/**
 * Meteora DAMM v2. Amounts are what the token transfers moved in and out of the vaults, a referrer's share left
 * out; without transfers in the record, the event's. Fees that wait in the vaults are no part of the reserves
 * that the event states.
 */
export const meteoraDammV2: Decoder = {
  exchange: 'meteora_damm_v2',
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
  const event = readEvent(invocation)
  const { pool, payer, vaultA, vaultB, mintA, mintB, referral, output } = SWAP_ACCOUNTS
  return createVaultTrade(invocation, {
    pool,
    authority: payer,
    base: {
      vault: vaultA,
      mint: mintA,
      stated: event === undefined ? null : event.aToB ? event.amountIn : -event.amountOut,
      reserve: event?.reserveA ?? null,
    },
    quote: {
      vault: vaultB,
      mint: mintB,
      stated: event === undefined ? null : event.aToB ? -event.amountOut : event.amountIn,
      reserve: event?.reserveB ?? null,
    },
    referral,
    output,
  })
}

/** This swap's event; `undefined` when the record does not have it. @throws Refused when it is of another pool. */
function readEvent(invocation: Invocation): SwapEvent | undefined {
  const pool = invocation.key(SWAP_ACCOUNTS.pool)
  const body = invocation.event(SWAP_EVENT)
  const oldBody = body === undefined ? invocation.event(OLD_SWAP_EVENT) : undefined
  const event = body ? readSwapEvent(body) : oldBody ? readOldSwapEvent(oldBody) : undefined
  if (event !== undefined && !isSameKey(event.pool, pool)) throw new Refused('missing_event')
  return event
}

function decodeInitialize(invocation: Invocation, accounts: InitializeAccounts): PoolCreation {
  const migration = readMigration(invocation)
  // A migration adds its second position after the pool was made.
  const amountA = invocation.vaultFlow(invocation.account(accounts.vaultA), migration?.end)
  const amountB = invocation.vaultFlow(invocation.account(accounts.vaultB), migration?.end)
  // A pool may open with one of its tokens alone.
  if (amountA === null && amountB === null) throw new Refused('missing_event')

  return {
    kind: 'creation',
    pool: invocation.address(accounts.pool),
    base: { mint: invocation.address(accounts.mintA), amount: amountA ?? 0n, decimals: null },
    quote: { mint: invocation.address(accounts.mintB), amount: amountB ?? 0n, decimals: null },
    migration,
  }
}
