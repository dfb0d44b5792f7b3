import type { Decoder, PoolTrade } from '../../decoder.ts'
import { Refused } from '../../refused.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import { createPool } from '../creation.ts'
import { readMigration } from '../migration.ts'
import { createVaultTrade, type VaultTrade } from '../vault-trade.ts'
import {
  INITIALIZE,
  INITIALIZE_USER,
  PROGRAM_ID,
  readInstruction,
  readSwapLog,
  type SwapLog,
} from './layout.ts'

/**
 * Raydium AMM v4. Amounts are the token transfers in and out of the vaults, or the program's log if the record has no
 * inner instructions. Mints are those of the vaults' balances, since a swap names none.
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
        return decodeSwap(invocation, instruction.trade)
      case 'initialize':
        return createPool(invocation, INITIALIZE, {
          base: { amount: instruction.coinAmount },
          quote: { amount: instruction.pcAmount },
          migration: readMigration(invocation, INITIALIZE_USER),
        })
      default:
        return undefined
    }
  },
}

function decodeSwap(invocation: Invocation, trade: VaultTrade): PoolTrade {
  const log = readLoggedSwap(invocation)
  if (log === undefined) return createVaultTrade(invocation, trade)
  const coin = log.givesCoin ? -log.amountOut : log.amountIn
  const pc = log.givesCoin ? log.amountIn : -log.amountOut
  return createVaultTrade(invocation, trade, {
    base: { stated: coin, reserve: log.coinReserveBefore + coin },
    quote: { stated: pc, reserve: log.pcReserveBefore + pc },
  })
}

function readLoggedSwap(invocation: Invocation): SwapLog | undefined {
  for (const text of invocation.tree.logs.of(invocation.at, invocation.programId)?.rayLogs ?? []) {
    const log = readSwapLog(Buffer.from(text, 'base64'))
    if (log !== undefined) return log
  }
  return undefined
}
