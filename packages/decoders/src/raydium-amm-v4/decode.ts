import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { readMigration } from '../migration.ts'
import { Refused } from '../refused.ts'
import { createVaultTrade } from '../vault-trade.ts'
import {
  type AmmInstruction,
  INITIALIZE_ACCOUNTS,
  PROGRAM_ID,
  readInstruction,
  readSwapLog,
  type SwapLog,
} from './layout.ts'

/**
 * Raydium AMM v4. Amounts are what the token transfers moved in and out of the vaults; where the record has no
 * inner instructions, what the program logged. Mints are those of the vaults' balances, since a swap names none.
 */
export const raydiumAmmV4: Decoder = {
  exchange: 'raydium',
  programIds: [PROGRAM_ID],
  discriminatorBytes: 1,
  decode(invocation) {
    const instruction = readInstruction(invocation.data, invocation.accountCount)
    switch (instruction?.kind) {
      case undefined:
        throw new Refused('unknown_instruction')
      case 'swap':
        return decodeSwap(invocation, instruction)
      case 'initialize':
        return decodeInitialize(invocation, instruction)
      default:
        return undefined
    }
  },
}

function decodeSwap(
  invocation: Invocation,
  { accounts }: Extract<AmmInstruction, { kind: 'swap' }>,
): PoolTrade {
  const log = readLoggedSwap(invocation)
  const coinFlow = flowOf(log, log?.givesCoin)
  const pcFlow = flowOf(log, log && !log.givesCoin)
  return createVaultTrade(invocation, {
    pool: accounts.pool,
    authority: accounts.owner,
    base: {
      vault: accounts.coinVault,
      mint: null,
      stated: coinFlow,
      reserve: reserveAfter(log?.coinReserveBefore, coinFlow),
    },
    quote: {
      vault: accounts.pcVault,
      mint: null,
      stated: pcFlow,
      reserve: reserveAfter(log?.pcReserveBefore, pcFlow),
    },
  })
}

function decodeInitialize(
  invocation: Invocation,
  { coinAmount, pcAmount }: Extract<AmmInstruction, { kind: 'initialize' }>,
): PoolCreation {
  const places = INITIALIZE_ACCOUNTS
  return {
    kind: 'creation',
    pool: invocation.address(places.pool),
    base: {
      mint: invocation.address(places.coinMint),
      amount: invocation.vaultFlow(invocation.account(places.coinVault)) ?? coinAmount,
      decimals: null,
    },
    quote: {
      mint: invocation.address(places.pcMint),
      amount: invocation.vaultFlow(invocation.account(places.pcVault)) ?? pcAmount,
      decimals: null,
    },
    migration: readMigration(invocation, places.user),
  }
}

function readLoggedSwap(invocation: Invocation): SwapLog | undefined {
  for (const text of invocation.tree.logs.of(invocation.at, invocation.programId)?.rayLogs ?? []) {
    const log = readSwapLog(Buffer.from(text, 'base64'))
    if (log !== undefined) return log
  }
  return undefined
}

/** What the log says of a side: the pool gave it out, or took it in. */
function flowOf(log: SwapLog | undefined, isGiven: boolean | undefined): bigint | null {
  if (log === undefined) return null
  return isGiven ? -log.amountOut : log.amountIn
}

function reserveAfter(before: bigint | undefined, flow: bigint | null): bigint | null {
  return before === undefined || flow === null ? null : before + flow
}
