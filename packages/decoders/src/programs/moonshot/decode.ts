import { WRAPPED_SOL } from '@pairwire/contract'
import { isZeroKey } from '../../bytes/key-table.ts'
import type { Decoder } from '../../decoder.ts'
import { addressOf } from '../../transaction/call-tree.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { createPool } from '../creation.ts'
import { createCurveTrade } from '../curve-trade.ts'
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
 * Moonshot. The token's amount is the transfer in or out of the curve's account, the collateral's the event's: the
 * curve holds lamports, which a sale moves without a transfer.
 */
export const moonshot: Decoder = createAnchorDecoder('moonshot', [PROGRAM_ID], INSTRUCTIONS, {
  trade(invocation) {
    const event = readTradeEvent(invocation.eventOrRefuse(TRADE_EVENT))
    invocation.assertNames(TRADE_ACCOUNTS.pool, event.curve)
    return createCurveTrade(invocation, TRADE_ACCOUNTS, {
      isBuy: event.isBuy,
      tokenAmount: event.tokenAmount,
      quoteAmount: event.collateralAmount,
      quoteMint: isZeroKey(event.costToken) ? WRAPPED_SOL : addressOf(event.costToken),
      launchpad: 'moonshot',
    })
  },
  tokenMint(invocation) {
    const { supply, ...token } = readLaunch(invocation.data)
    return createPool(invocation, MINT_ACCOUNTS, {
      base: { ...token, amount: supply },
      launchpad: 'moonshot',
    })
  },
})
