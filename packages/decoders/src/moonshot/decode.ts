import { WRAPPED_SOL } from '@pairwire/contract'
import { addressOf } from '../call-tree.ts'
import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { isSameKey } from '../key-table.ts'
import { Refused } from '../refused.ts'
import {
  INSTRUCTIONS,
  MINT_ACCOUNTS,
  PROGRAM_ID,
  readLaunch,
  readTradeEvent,
  TRADE_ACCOUNTS,
  TRADE_EVENT,
} from './layout.ts'

/**
 * Moonshot. The token's amount is what moved in or out of the curve's account, the collateral's what the event says
 * that the curve took in or gave out: it holds lamports, which a sale moves without a transfer.
 */
export const moonshot: Decoder = {
  exchange: 'moonshot',
  programIds: [PROGRAM_ID],
  decode(invocation) {
    switch (INSTRUCTIONS.of(invocation.data)) {
      case 'trade':
        return decodeTrade(invocation)
      case 'token_mint':
        return decodeTokenMint(invocation)
      default:
        return undefined
    }
  },
}

function decodeTrade(invocation: Invocation): PoolTrade {
  const { sender, curve, vault, mint } = TRADE_ACCOUNTS
  const body = invocation.event(TRADE_EVENT)
  if (body === undefined) throw new Refused('missing_event')
  const event = readTradeEvent(body)
  if (!isSameKey(event.curve, invocation.key(curve))) throw new Refused('missing_event')

  const { tokenAmount, collateralAmount, costToken, isBuy } = event
  const moved = invocation.vaultFlow(invocation.account(vault)) ?? (isBuy ? -tokenAmount : tokenAmount)
  if (moved < 0n !== isBuy) throw new Refused('missing_event')
  return {
    kind: 'trade',
    pool: invocation.address(curve),
    wallet: invocation.wallet(sender),
    base: {
      mint: invocation.address(mint),
      amount: isBuy ? -moved : moved,
      decimals: null,
      reserve: null,
      vault: invocation.account(vault),
    },
    quote: {
      mint: costToken.every((byte) => byte === 0) ? WRAPPED_SOL : addressOf(costToken),
      amount: collateralAmount,
      decimals: null,
      reserve: null,
      vault: null,
    },
    givesBase: isBuy,
    launchpad: 'moonshot',
  }
}

function decodeTokenMint(invocation: Invocation): PoolCreation {
  const { decimals, name, symbol, uri, supply } = readLaunch(invocation.data)
  const { curve, mint, vault } = MINT_ACCOUNTS
  return {
    kind: 'creation',
    pool: invocation.address(curve),
    base: {
      mint: invocation.address(mint),
      amount: invocation.vaultFlow(invocation.account(vault)) ?? supply,
      decimals,
      name,
      symbol,
      uri,
    },
    quote: { mint: WRAPPED_SOL, amount: 0n, decimals: null },
    migration: null,
    launchpad: 'moonshot',
  }
}
