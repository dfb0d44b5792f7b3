import type { Exchange } from '@pairwire/contract/exchanges'
import type { Decoder, PoolTrade } from '../../decoder.ts'
import { Refused } from '../../refused.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { type CreationPlaces, newPool } from '../creation.ts'
import { createDirectedTrade } from '../vault-trade.ts'
import {
  BYREAL,
  BYREAL_CREATE,
  CREATE,
  HOP_ACCOUNTS,
  INSTRUCTIONS,
  PANCAKESWAP,
  RAYDIUM,
  ROUTE_ACCOUNTS,
  SWAP,
  SWAP_V2,
} from './layout.ts'

export const raydiumClmm = createClmm('raydium_clmm', RAYDIUM, CREATE)
export const pancakeswap = createClmm('pancakeswap', PANCAKESWAP, CREATE)
export const byreal = createClmm('byreal', BYREAL, BYREAL_CREATE)

/**
 * Raydium's CLMM at one of its addresses. Amounts are the token transfers in and out of the vaults. A route is one
 * trade per hop. A pool is created empty; its liquidity comes later.
 */
function createClmm(exchange: Exchange, programId: string, places: CreationPlaces): Decoder {
  return createAnchorDecoder(exchange, [programId], INSTRUCTIONS, {
    swap: (invocation) => createDirectedTrade(invocation, SWAP),
    swapV2: (invocation) => createDirectedTrade(invocation, SWAP_V2),
    route: decodeRoute,
    create: newPool(places),
  })
}

/** Finds hops by their vaults: one takes in what the next gives out. Tick arrays come between them. */
function decodeRoute(invocation: Invocation): readonly PoolTrade[] {
  const trades: PoolTrade[] = []
  let inputMint: number = ROUTE_ACCOUNTS.inputMint
  let at: number = ROUTE_ACCOUNTS.hops
  while (at + HOP_ACCOUNTS.count <= invocation.accountCount) {
    const incoming = { vault: at + HOP_ACCOUNTS.inputVault, mint: inputMint }
    const outgoing = { vault: at + HOP_ACCOUNTS.outputVault, mint: at + HOP_ACCOUNTS.outputMint }
    if (!isTakenAndGiven(invocation, incoming.vault, outgoing.vault)) {
      at++
      continue
    }
    const pool = at + HOP_ACCOUNTS.pool
    trades.push(
      createDirectedTrade(invocation, { pool, authority: ROUTE_ACCOUNTS.payer, incoming, outgoing }),
    )
    inputMint = outgoing.mint
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
