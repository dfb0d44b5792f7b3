import type { Decoder, PoolTrade } from '../../decoder.ts'
import { addressOf } from '../../transaction/call-tree.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { createPool } from '../creation.ts'
import { createCurveTrade } from '../curve-trade.ts'
import {
  BOUGHT_EVENT,
  DEPLOY_ACCOUNTS,
  INSTRUCTIONS,
  PROGRAM_ID,
  readCreator,
  readTradeEvent,
  SOLD_EVENT,
  TRADE_ACCOUNTS,
} from './layout.ts'

/**
 * Boop. The token's amount is the transfer in or out of the curve's account; the lamports' is the event's, which for a
 * sale includes the fee that the curve also paid. A pair is new when its curve is deployed.
 */
export const boop: Decoder = createAnchorDecoder('boop', [PROGRAM_ID], INSTRUCTIONS, {
  buy: (invocation) => decodeTrade(invocation, true),
  sell: (invocation) => decodeTrade(invocation, false),
  deploy: (invocation) => {
    const creator = addressOf(readCreator(invocation.data))
    return createPool(invocation, DEPLOY_ACCOUNTS, { launchpad: 'boop', creator })
  },
})

function decodeTrade(invocation: Invocation, isBuy: boolean): PoolTrade {
  const event = readTradeEvent(invocation.eventOrRefuse(isBuy ? BOUGHT_EVENT : SOLD_EVENT))
  invocation.assertNames(TRADE_ACCOUNTS.mint, event.mint)
  return createCurveTrade(invocation, TRADE_ACCOUNTS, {
    isBuy,
    tokenAmount: isBuy ? event.amountOut : event.amountIn,
    quoteAmount: isBuy ? event.amountIn : event.amountOut + event.fee,
    launchpad: 'boop',
  })
}
