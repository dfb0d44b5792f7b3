import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { isSameKey } from '../key-table.ts'
import { launchpadOf } from '../launchpads.ts'
import { Refused } from '../refused.ts'
import { createVaultTrade } from '../vault-trade.ts'
import {
  INITIALIZE_ACCOUNTS,
  INSTRUCTIONS,
  PROGRAM_ID,
  readLaunch,
  readTradeEvent,
  TRADE_ACCOUNTS,
  TRADE_EVENT,
} from './layout.ts'

/**
 * Raydium LaunchLab. Amounts are what the token transfers moved between the trader and the curve's vaults; fees that
 * a vault pays to the platform and the creator during the trade are not taken off. Without transfers in the record
 * they are the event's. A migration gives no event here: it shows as the `migration` of the pool that it makes.
 */
export const raydiumLaunchlab: Decoder = {
  exchange: 'raydium_launchlab',
  programIds: [PROGRAM_ID],
  decode(invocation) {
    switch (INSTRUCTIONS.of(invocation.data)) {
      case 'trade':
        return decodeTrade(invocation)
      case 'initialize':
        return decodeInitialize(invocation)
      default:
        return undefined
    }
  },
}

function decodeTrade(invocation: Invocation): PoolTrade {
  const body = invocation.event(TRADE_EVENT)
  if (body === undefined) throw new Refused('missing_event')
  const event = readTradeEvent(body)
  if (!isSameKey(event.pool, invocation.key(TRADE_ACCOUNTS.pool))) throw new Refused('missing_event')

  const { isBuy, amountIn, amountOut, realQuoteAfter } = event
  return createVaultTrade(invocation, {
    pool: TRADE_ACCOUNTS.pool,
    authority: TRADE_ACCOUNTS.payer,
    base: {
      vault: TRADE_ACCOUNTS.baseVault,
      trader: TRADE_ACCOUNTS.traderBase,
      mint: TRADE_ACCOUNTS.baseMint,
      stated: event.realBaseBefore - event.realBaseAfter,
      reserve: null,
    },
    quote: {
      vault: TRADE_ACCOUNTS.quoteVault,
      trader: TRADE_ACCOUNTS.traderQuote,
      mint: TRADE_ACCOUNTS.quoteMint,
      stated: isBuy ? amountIn : -amountOut,
      reserve: realQuoteAfter,
    },
    launchpad: launchpadOf(invocation.key(TRADE_ACCOUNTS.platform)),
  })
}

function decodeInitialize(invocation: Invocation): PoolCreation {
  const { decimals, name, symbol, uri, supply } = readLaunch(invocation.data)
  return {
    kind: 'creation',
    pool: invocation.address(INITIALIZE_ACCOUNTS.pool),
    base: {
      mint: invocation.address(INITIALIZE_ACCOUNTS.baseMint),
      amount: invocation.vaultFlow(invocation.account(INITIALIZE_ACCOUNTS.baseVault)) ?? supply,
      decimals,
      name,
      symbol,
      uri,
      supply,
    },
    quote: { mint: invocation.address(INITIALIZE_ACCOUNTS.quoteMint), amount: 0n, decimals: null },
    migration: null,
    launchpad: launchpadOf(invocation.key(INITIALIZE_ACCOUNTS.platform)),
  }
}
