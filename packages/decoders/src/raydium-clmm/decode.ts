import type { Exchange } from '@pairwire/contract/exchanges'
import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { compareKeys, keyOf } from '../key-table.ts'
import { Refused } from '../refused.ts'
import { createVaultTrade, readVaultMint, type VaultSide } from '../vault-trade.ts'
import {
  BYREAL,
  BYREAL_CREATE_ACCOUNTS,
  CREATE_ACCOUNTS,
  type CreateAccounts,
  HOP_ACCOUNTS,
  INSTRUCTIONS,
  PANCAKESWAP,
  RAYDIUM,
  ROUTE_ACCOUNTS,
  SWAP_ACCOUNTS,
} from './layout.ts'

export const raydiumClmm = createClmm('raydium_clmm', RAYDIUM, CREATE_ACCOUNTS)
export const pancakeswap = createClmm('pancakeswap', PANCAKESWAP, CREATE_ACCOUNTS)
export const byreal = createClmm('byreal', BYREAL, BYREAL_CREATE_ACCOUNTS)

/**
 * Raydium's CLMM at one of its addresses. Amounts are what the token transfers moved in and out of the vaults. A
 * route gives one trade a hop. A pool is made empty; its liquidity comes later.
 */
function createClmm(exchange: Exchange, programId: string, createAccounts: CreateAccounts): Decoder {
  return {
    exchange,
    programIds: [programId],
    decode(invocation) {
      const instruction = INSTRUCTIONS.of(invocation.data)
      switch (instruction) {
        case 'other':
          return undefined
        case 'create':
          return decodeCreate(invocation, createAccounts)
        case 'route':
          return decodeRoute(invocation)
        default: {
          const { payer, pool, inputVault, outputVault } = SWAP_ACCOUNTS
          const { input, output } = instruction.mints ?? { input: null, output: null }
          return createTrade(invocation, payer, pool, sideOf(inputVault, input), sideOf(outputVault, output))
        }
      }
    },
  }
}

/** Hops are found by their vaults: one takes in what the next gives out. Tick arrays lie between them. */
function decodeRoute(invocation: Invocation): readonly PoolTrade[] {
  const trades: PoolTrade[] = []
  let inputMint: number = ROUTE_ACCOUNTS.inputMint
  let at: number = ROUTE_ACCOUNTS.hops
  while (at + HOP_ACCOUNTS.count <= invocation.accountCount) {
    const input = at + HOP_ACCOUNTS.inputVault
    const output = at + HOP_ACCOUNTS.outputVault
    if (!isTakenAndGiven(invocation, input, output)) {
      at++
      continue
    }
    const outputMint = at + HOP_ACCOUNTS.outputMint
    trades.push(
      createTrade(
        invocation,
        ROUTE_ACCOUNTS.payer,
        at + HOP_ACCOUNTS.pool,
        sideOf(input, inputMint),
        sideOf(output, outputMint),
      ),
    )
    inputMint = outputMint
    at += HOP_ACCOUNTS.count
  }
  if (trades.length === 0) throw new Refused('missing_event')
  return trades
}

function isTakenAndGiven(invocation: Invocation, input: number, output: number): boolean {
  const taken = invocation.vaultFlow(invocation.account(input))
  if (taken === null || taken <= 0n) return false
  const given = invocation.vaultFlow(invocation.account(output))
  return given !== null && given < 0n
}

/** The pool's own order is that of the mints' keys; the first is its base. */
function createTrade(
  invocation: Invocation,
  authority: number,
  pool: number,
  input: VaultSide,
  output: VaultSide,
): PoolTrade {
  const isInputFirst = compareKeys(mintKey(invocation, input), mintKey(invocation, output)) < 0
  return createVaultTrade(invocation, {
    pool,
    authority,
    base: isInputFirst ? input : output,
    quote: isInputFirst ? output : input,
  })
}

function mintKey(invocation: Invocation, { vault, mint }: VaultSide): Uint8Array {
  return mint === null ? keyOf(readVaultMint(invocation, invocation.account(vault))) : invocation.key(mint)
}

function sideOf(vault: number, mint: number | null): VaultSide {
  return { vault, mint, stated: null, reserve: null }
}

function decodeCreate(invocation: Invocation, { pool, mint0, mint1 }: CreateAccounts): PoolCreation {
  return {
    kind: 'creation',
    pool: invocation.address(pool),
    base: { mint: invocation.address(mint0), amount: 0n, decimals: null },
    quote: { mint: invocation.address(mint1), amount: 0n, decimals: null },
    migration: null,
  }
}
