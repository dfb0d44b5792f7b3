import type { Decoder } from '../../decoder.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { createPool } from '../creation.ts'
import { launchpadOf } from '../launchpads.ts'
import { createVaultTrade } from '../vault-trade.ts'
import {
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
 * Raydium LaunchLab. Amounts are what the token transfers moved between the trader and the curve's vaults; fees that
 * a vault pays to the platform and the creator during the trade are not taken off. Without transfers in the record
 * they are the event's. A migration gives no event here: it shows as the `migration` of the pool that it makes.
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
      })
    },
    initialize(invocation) {
      const launch = readLaunch(invocation.data)
      return createPool(invocation, INITIALIZE, {
        base: { ...launch, amount: launch.supply },
        launchpad: launchpadOf(invocation.key(PLATFORM)),
      })
    },
  },
)
