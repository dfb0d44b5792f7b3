import type { Exchange } from '@pairwire/contract/exchanges'
import { isSameKey } from '../../bytes/key-table.ts'
import type { Decoder, PoolTrade } from '../../decoder.ts'
import { orRefused, Refused } from '../../refused.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { type CreationPlaces, newPool } from '../creation.ts'
import { createDirectedTrade, type DirectedTrade, withEventIfNeeded } from '../vault-trade.ts'
import {
  BYREAL,
  BYREAL_CREATE,
  CREATE,
  HOP_ACCOUNTS,
  INSTRUCTIONS,
  PANCAKESWAP,
  RAYDIUM,
  ROUTE_ACCOUNTS,
  readSwapEvent,
  SWAP,
  SWAP_EVENT,
  SWAP_V2,
  type SwapEvent,
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
    swap: (invocation) => decodeSwap(invocation, SWAP),
    swapV2: (invocation) => decodeSwap(invocation, SWAP_V2),
    route: decodeRoute,
    create: newPool(places),
  })
}

function decodeSwap(invocation: Invocation, swap: DirectedTrade): PoolTrade {
  return withEventIfNeeded(
    (event: SwapEvent | undefined) => createDirectedTrade(invocation, swap, event && toldBy(event)),
    () => {
      const body = invocation.loggedEvent(SWAP_EVENT)
      const event = body && readSwapEvent(body)
      return event && isSameKey(event.pool, invocation.key(swap.pool)) ? event : undefined
    },
  )
}

function toldBy({ isZeroForOne, amount0, amount1 }: SwapEvent) {
  const [taken, given] = isZeroForOne ? [amount0, amount1] : [amount1, amount0]
  return { incoming: { stated: taken }, outgoing: { stated: -given } }
}

/** Finds hops by their vaults: one takes in what the next gives out. Tick arrays come between them. */
function decodeRoute(invocation: Invocation): readonly (PoolTrade | Refused)[] {
  const trades: (PoolTrade | Refused)[] = []
  let inputMint: number = ROUTE_ACCOUNTS.inputMint
  let at: number = ROUTE_ACCOUNTS.hops
  while (at + HOP_ACCOUNTS.count <= invocation.accountCount) {
    const incoming = { vault: at + HOP_ACCOUNTS.inputVault, mint: inputMint }
    const outgoing = { vault: at + HOP_ACCOUNTS.outputVault, mint: at + HOP_ACCOUNTS.outputMint }
    if (!isTakenAndGiven(invocation, incoming.vault, outgoing.vault)) {
      at++
      continue
    }
    const hop = { pool: at + HOP_ACCOUNTS.pool, authority: ROUTE_ACCOUNTS.payer, incoming, outgoing }
    trades.push(orRefused(() => createDirectedTrade(invocation, hop)))
    inputMint = outgoing.mint
    at += HOP_ACCOUNTS.count
  }
  if (trades.length === 0) throw new Refused('missing_event')
  return trades
}

/** A vault that took in an unknown amount is one of a hop too. */
function isTakenAndGiven(invocation: Invocation, input: number, output: number): boolean {
  const { flow: taken, isMoved } = invocation.vaultFlowAndFee(invocation.account(input))
  if (!isMoved || (taken !== null && taken <= 0n)) return false
  const given = invocation.vaultFlow(invocation.account(output))
  return given !== null && given < 0n
}
