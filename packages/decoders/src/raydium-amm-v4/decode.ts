import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { readMigration } from '../migration.ts'
import { Refused } from '../refused.ts'
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
  const pool = invocation.address(accounts.pool)
  const coinVault = invocation.account(accounts.coinVault)
  const pcVault = invocation.account(accounts.pcVault)
  const wallet = invocation.wallet(accounts.owner)
  const log = readLoggedSwap(invocation)

  const coinFlow = invocation.vaultFlow(coinVault) ?? flowOf(log, log?.givesCoin)
  const pcFlow = invocation.vaultFlow(pcVault) ?? flowOf(log, log && !log.givesCoin)
  if (coinFlow === null || pcFlow === null) throw new Refused('missing_event')
  // Both in or both out is no swap.
  if (coinFlow * pcFlow > 0n) throw new Refused('missing_event')

  const coin = invocation.tree.balance(coinVault)
  const pc = invocation.tree.balance(pcVault)
  if (coin === undefined || pc === undefined) throw new Refused('missing_balance')
  return {
    kind: 'trade',
    pool,
    wallet,
    base: {
      mint: coin.mint,
      amount: absolute(coinFlow),
      decimals: coin.decimals,
      reserve: reserveAfter(log?.coinReserveBefore, coinFlow),
      vault: coinVault,
    },
    quote: {
      mint: pc.mint,
      amount: absolute(pcFlow),
      decimals: pc.decimals,
      reserve: reserveAfter(log?.pcReserveBefore, pcFlow),
      vault: pcVault,
    },
    givesBase: coinFlow < 0n,
  }
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

function reserveAfter(before: bigint | undefined, flow: bigint): bigint | null {
  if (before === undefined || before + flow < 0n) return null
  return before + flow
}

function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}
