import type { Decoder, PoolCreation, PoolTrade, TradeSide } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { isSameKey } from '../key-table.ts'
import { readMigration } from '../migration.ts'
import { Refused } from '../refused.ts'
import {
  BOOST_ACCOUNTS,
  BOOST_EVENT,
  BUY_EVENT,
  CREATE_ACCOUNTS,
  CREATE_POOL_EVENT,
  INSTRUCTIONS,
  PROGRAM_ID,
  readBoostEvent,
  readCreatePoolEvent,
  readTradeEvent,
  SELL_EVENT,
  TRADE_ACCOUNTS,
} from './layout.ts'

/**
 * PumpSwap. Amounts are what the token transfers moved in and out of the vaults; without transfers in the record,
 * the event's: of a buy with the pool's own fee, of a sell before the fees that go to others. Its base may be wrapped SOL in pools that users made. A pool made within a pump.fun
 * migration is that curve's.
 */
export const pumpswap: Decoder = {
  exchange: 'pumpswap',
  programIds: [PROGRAM_ID],
  decode(invocation) {
    switch (INSTRUCTIONS.get(invocation.data)) {
      case undefined:
        throw new Refused(invocation.data.length < 8 ? 'truncated' : 'unknown_instruction')
      case 'buy':
        return decodeTrade(invocation, true)
      case 'sell':
        return decodeTrade(invocation, false)
      case 'create_pool':
        return decodeCreatePool(invocation)
      case 'boost':
        return decodeBoost(invocation)
      default:
        return undefined
    }
  },
}

function decodeTrade(invocation: Invocation, isBuy: boolean): PoolTrade {
  const event = readEvent(invocation, isBuy ? BUY_EVENT : SELL_EVENT, TRADE_ACCOUNTS.pool, readTradeEvent)

  const { baseMint, baseVault, quoteMint, quoteVault } = TRADE_ACCOUNTS
  const base = movedBy(invocation, baseVault, isBuy ? -event.baseAmount : event.baseAmount)
  const quote = movedBy(invocation, quoteVault, isBuy ? event.quoteAmount : -event.quoteAmount)
  return {
    kind: 'trade',
    pool: invocation.address(TRADE_ACCOUNTS.pool),
    wallet: invocation.wallet(TRADE_ACCOUNTS.user),
    base: createSide(invocation, baseMint, baseVault, base, event.baseReserveBefore + base),
    quote: createSide(invocation, quoteMint, quoteVault, quote, event.quoteReserveBefore + quote),
    givesBase: isBuy,
  }
}

function decodeBoost(invocation: Invocation): PoolTrade {
  const event = readEvent(invocation, BOOST_EVENT, BOOST_ACCOUNTS.pool, readBoostEvent)

  const { baseMint, baseVault, quoteMint, quoteVault } = BOOST_ACCOUNTS
  const base = movedBy(invocation, baseVault, -event.baseAmount)
  const quote = movedBy(invocation, quoteVault, event.quoteAmount)
  return {
    kind: 'trade',
    pool: invocation.address(BOOST_ACCOUNTS.pool),
    wallet: invocation.wallet(BOOST_ACCOUNTS.authority),
    base: createSide(invocation, baseMint, baseVault, base, event.baseReserve),
    quote: createSide(invocation, quoteMint, quoteVault, quote, event.quoteReserve),
    givesBase: true,
  }
}

function decodeCreatePool(invocation: Invocation): PoolCreation {
  const event = readEvent(invocation, CREATE_POOL_EVENT, CREATE_ACCOUNTS.pool, readCreatePoolEvent)

  return {
    kind: 'creation',
    pool: invocation.address(CREATE_ACCOUNTS.pool),
    base: {
      mint: invocation.address(CREATE_ACCOUNTS.baseMint),
      amount: event.poolBaseAmount,
      decimals: event.baseDecimals,
    },
    quote: {
      mint: invocation.address(CREATE_ACCOUNTS.quoteMint),
      amount: event.poolQuoteAmount,
      decimals: event.quoteDecimals,
    },
    migration: readMigration(invocation),
  }
}

/** This instruction's event, which must be of the pool that the instruction names. @throws Refused when it is not there. */
function readEvent<Event extends Readonly<{ pool: Uint8Array }>>(
  invocation: Invocation,
  discriminator: Uint8Array,
  poolPlace: number,
  read: (body: Uint8Array) => Event,
): Event {
  const pool = invocation.key(poolPlace)
  const body = invocation.event(discriminator)
  if (body === undefined) throw new Refused('missing_event')
  const event = read(body)
  if (!isSameKey(event.pool, pool)) throw new Refused('missing_event')
  return event
}

/** What the vault took in (above zero) or gave out (below), by its transfers; without them in the record, `stated`. */
function movedBy(invocation: Invocation, vaultPlace: number, stated: bigint): bigint {
  return invocation.vaultFlow(invocation.account(vaultPlace)) ?? stated
}

/** A reserve below zero would be a misread event: the vault's balance stands in for it. */
function createSide(
  invocation: Invocation,
  mintPlace: number,
  vaultPlace: number,
  moved: bigint,
  reserve: bigint,
): TradeSide {
  return {
    mint: invocation.address(mintPlace),
    amount: moved < 0n ? -moved : moved,
    decimals: null,
    reserve: reserve < 0n ? null : reserve,
    vault: invocation.account(vaultPlace),
  }
}
