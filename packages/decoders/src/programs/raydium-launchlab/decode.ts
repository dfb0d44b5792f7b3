import type { Decoder } from '../../decoder.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { createPool } from '../creation.ts'
import { launchpadOf } from '../launchpads.ts'
import { createVaultTrade } from '../vault-trade.ts'
import {
  curveAfter,
  INITIALIZE,
  INSTRUCTIONS,
  PLATFORM,
  PROGRAM_ID,
  readLaunch,
  readTradeEvent,
  TRADE,
  TRADE_EVENT,
} from './layout.ts'

/**
 * Raydium LaunchLab. Amounts are the token transfers between the trader and the curve's vaults, without subtracting
 * fees that a vault pays to platform and creator during the trade; or the event's if the record has no transfers. A
 * migration has no event here: it is the `migration` of the pool that it creates.
 */
export const raydiumLaunchlab: Decoder = createAnchorDecoder(
  'raydium_launchlab',
  [PROGRAM_ID],
  INSTRUCTIONS,
  {
    trade(invocation) {
      const event = readTradeEvent(invocation.eventOrRefuse(TRADE_EVENT))
      invocation.assertNames(TRADE.pool, event.pool)
      const paid = event.isBuy ? event.amountIn : -event.amountOut
      return createVaultTrade(invocation, TRADE, {
        base: { stated: event.realBaseBefore - event.realBaseAfter, reserve: null },
        quote: { stated: paid, reserve: event.realQuoteAfter },
        launchpad: launchpadOf(invocation.key(PLATFORM)),
        curve: curveAfter(event),
      })
    },
    initialize(invocation) {
      const { curve, ...launch } = readLaunch(invocation.data)
      return createPool(invocation, INITIALIZE, {
        base: { ...launch, amount: launch.supply },
        launchpad: launchpadOf(invocation.key(PLATFORM)),
        curve,
      })
    },
  },
)
