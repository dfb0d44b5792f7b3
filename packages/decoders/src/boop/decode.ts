import { WRAPPED_SOL } from '@pairwire/contract'
import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { isSameKey } from '../key-table.ts'
import { Refused } from '../refused.ts'
import {
  BOUGHT_EVENT,
  DEPLOY_ACCOUNTS,
  INSTRUCTIONS,
  PROGRAM_ID,
  readTradeEvent,
  SOLD_EVENT,
  TRADE_ACCOUNTS,
} from './layout.ts'

/**
 * Boop. The token's amount is what moved in or out of the curve's account; the lamports' is the event's, of a sale
 * with the fee that the curve paid out beside it. A pair is new when its curve is deployed.
 */
export const boop: Decoder = {
  exchange: 'boop',
  programIds: [PROGRAM_ID],
  decode(invocation) {
    switch (INSTRUCTIONS.of(invocation.data)) {
      case 'buy':
        return decodeTrade(invocation, true)
      case 'sell':
        return decodeTrade(invocation, false)
      case 'deploy':
        return decodeDeploy(invocation)
      default:
        return undefined
    }
  },
}

function decodeTrade(invocation: Invocation, isBuy: boolean): PoolTrade {
  const { mint, curve, vault, trader } = TRADE_ACCOUNTS
  const body = invocation.event(isBuy ? BOUGHT_EVENT : SOLD_EVENT)
  if (body === undefined) throw new Refused('missing_event')
  const event = readTradeEvent(body)
  if (!isSameKey(event.mint, invocation.key(mint))) throw new Refused('missing_event')

  const stated = isBuy ? -event.amountOut : event.amountIn
  const moved = invocation.vaultFlow(invocation.account(vault)) ?? stated
  if (moved < 0n !== isBuy) throw new Refused('missing_event')
  return {
    kind: 'trade',
    pool: invocation.address(curve),
    wallet: invocation.wallet(trader),
    base: {
      mint: invocation.address(mint),
      amount: isBuy ? -moved : moved,
      decimals: null,
      reserve: null,
      vault: invocation.account(vault),
    },
    quote: {
      mint: WRAPPED_SOL,
      amount: isBuy ? event.amountIn : event.amountOut + event.fee,
      decimals: null,
      reserve: null,
      vault: null,
    },
    givesBase: isBuy,
    launchpad: 'boop',
  }
}

function decodeDeploy(invocation: Invocation): PoolCreation {
  const { mint, curve, vault } = DEPLOY_ACCOUNTS
  const amount = invocation.vaultFlow(invocation.account(vault))
  if (amount === null) throw new Refused('missing_event')
  return {
    kind: 'creation',
    pool: invocation.address(curve),
    base: { mint: invocation.address(mint), amount, decimals: null },
    quote: { mint: WRAPPED_SOL, amount: 0n, decimals: null },
    migration: null,
    launchpad: 'boop',
  }
}
