import { holdsAt } from '../../bytes/discriminator.ts'
import type { PoolCreation, PoolTrade } from '../../decoder.ts'
import type { KnownAccounts, LogDecoder, LoggedCall, PoolMints } from '../../logs/log-decoder.ts'
import { Refused } from '../../refused.ts'
import { addressOf } from '../../transaction/call-tree.ts'
import { ofMayhem, readLoggedMigration } from '../migration.ts'
import {
  BOOST_EVENT,
  CREATE_POOL_EVENT,
  creatorOf,
  PROGRAM_ID,
  quoteReserveAfter,
  readBoostEvent,
  readCreatePoolEvent,
  readPoolAccount,
  readTradeEvent,
  readTradeOrigin,
  TRADE_EVENTS,
} from './layout.ts'

/**
 * PumpSwap from its logs. Events name the pool but not its mints, which come from its creation or a look-up. Fees that
 * a mint withholds are missing, so pools of such mints are omitted.
 */
export const pumpswapLogs: LogDecoder = {
  exchange: 'pumpswap',
  programId: PROGRAM_ID,
  gives: ['newPair', 'swap'],
  decode(call, at, known) {
    const data = call.events[at]!
    const kind = TRADE_EVENTS.get(data)
    // A boost logs a buy too, in the name of an account of the program: its own event tells all.
    if (kind !== undefined && call.events.some((each) => holdsAt(each, BOOST_EVENT, 0))) return undefined
    if (kind !== undefined) return decodeTrade(data.subarray(8), kind === 'buy', known)
    if (holdsAt(data, CREATE_POOL_EVENT, 0)) return decodeCreatePool(data.subarray(8), call, known)
    return holdsAt(data, BOOST_EVENT, 0) ? decodeBoost(data.subarray(8), known) : undefined
  },
  readPool(data) {
    const mints = readPoolAccount(data)
    return mints && { base: addressOf(mints.baseMint), quote: addressOf(mints.quoteMint) }
  },
}

function decodeTrade(body: Uint8Array, isBuy: boolean, known: KnownAccounts): PoolTrade {
  const event = readTradeEvent(body, isBuy)
  const { user, timestamp } = readTradeOrigin(body)
  known.tellTime(timestamp)
  const { baseAmount, quoteAmount } = event
  const base = isBuy ? -baseAmount : baseAmount
  return createTrade(known, {
    ...event,
    trader: user,
    isBuy,
    baseAmount,
    quoteAmount,
    baseReserve: event.baseReserveBefore + base,
    quoteReserve: quoteReserveAfter(event, isBuy ? quoteAmount : -quoteAmount),
  })
}

function decodeBoost(body: Uint8Array, known: KnownAccounts): PoolTrade {
  const event = readBoostEvent(body)
  known.tellTime(event.timestamp)
  const quoteReserve = event.quoteReserve + event.virtualQuoteReserve
  return createTrade(known, { ...event, trader: event.authority, isBuy: true, quoteReserve })
}

type ToldTrade = Readonly<{
  pool: Uint8Array
  trader: Uint8Array
  isBuy: boolean
  baseAmount: bigint
  quoteAmount: bigint
  baseReserve: bigint
  quoteReserve: bigint
}>

function createTrade(known: KnownAccounts, trade: ToldTrade): PoolTrade {
  const pool = addressOf(trade.pool)
  const mints = known.pool(pool)
  holdWithoutFee(mints, known)
  const { isBuy, baseReserve, quoteReserve } = trade
  return {
    kind: 'trade',
    pool,
    wallet: known.wallet(trade.trader),
    base: { mint: mints.base, amount: trade.baseAmount, reserve: reserveOf(baseReserve) },
    quote: { mint: mints.quote, amount: trade.quoteAmount, reserve: reserveOf(quoteReserve) },
    givesBase: isBuy,
  }
}

/** A negative one would be a misread event. */
function reserveOf(told: bigint): bigint | null {
  return told < 0n ? null : told
}

function decodeCreatePool(body: Uint8Array, call: LoggedCall, known: KnownAccounts): PoolCreation {
  const event = readCreatePoolEvent(body)
  known.tellTime(event.timestamp)
  const mints = { base: addressOf(event.baseMint), quote: addressOf(event.quoteMint) }
  const pool = addressOf(event.pool)
  known.learn(pool, mints)
  holdWithoutFee(mints, known)
  const migration = ofMayhem(readLoggedMigration(call), event.isMayhem)
  return {
    kind: 'creation',
    pool,
    base: { mint: mints.base, amount: event.poolBaseAmount, decimals: event.baseDecimals },
    quote: { mint: mints.quote, amount: event.poolQuoteAmount, decimals: event.quoteDecimals },
    migration,
    creator: creatorOf(event, migration !== null),
  }
}

/** @throws Refused when a mint of the pool withholds a fee, UnknownAccount when that is unknown */
function holdWithoutFee({ base, quote }: PoolMints, known: KnownAccounts): void {
  for (const mint of [base, quote]) if (known.mint(mint).hasTransferFee) throw new Refused('unknown_amount')
}
