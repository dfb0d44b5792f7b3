import { isSameKey } from '../../bytes/key-table.ts'
import type { Decoder, PoolCreation, PoolTrade, TradeSide } from '../../decoder.ts'
import { orRefused, Refused } from '../../refused.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import { holdAgainstVault } from '../../transaction/vault-flow.ts'
import type { Position } from '../../transaction.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { createPool } from '../creation.ts'
import { ofMayhem, readMigration } from '../migration.ts'
import {
  BOOST_ACCOUNTS,
  BOOST_EVENT,
  BUY_EVENT,
  CREATE,
  CREATE_POOL_EVENT,
  creatorOf,
  INSTRUCTIONS,
  MULTI_HOP,
  PROGRAM_ID,
  quoteReserveAfter,
  readBoostEvent,
  readCreatePoolEvent,
  readKeptFees,
  readTradeEvent,
  SELL_EVENT,
  TRADE_ACCOUNTS,
  TRADE_EVENTS,
  type TradeEvent,
} from './layout.ts'

/**
 * PumpSwap. The base is the token transfers in or out of its vault; the quote is the event's, since others' fees may
 * wait in the quote vault. The quote reserve is the one that sets the price: the vault's plus the virtual one. The
 * program's base may be wrapped SOL in pools of users. A pool created within a pump.fun migration belongs to that
 * curve.
 */
export const pumpswap: Decoder = createAnchorDecoder('pumpswap', [PROGRAM_ID], INSTRUCTIONS, {
  buy: (invocation) => decodeTrade(invocation, true),
  sell: (invocation) => decodeTrade(invocation, false),
  multiHop: decodeMultiHop,
  createPool: decodeCreatePool,
  boost: decodeBoost,
})

/** Indexes of a trade's accounts. */
type TradeAccounts = Readonly<Record<keyof typeof TRADE_ACCOUNTS, number>>

function decodeTrade(invocation: Invocation, isBuy: boolean): PoolTrade {
  const body = invocation.eventOrRefuse(isBuy ? BUY_EVENT : SELL_EVENT)
  const event = readTradeEvent(body, isBuy)
  invocation.assertNames(TRADE_ACCOUNTS.pool, event.pool)
  return createTrade(invocation, TRADE_ACCOUNTS, { event, body, isBuy, isOnly: true, at: invocation.at })
}

/**
 * Decodes one trade for each pool of the route, identified by the pools in its events: one transfer may leave a pool
 * and enter the next. Curves of the route are traded by pump.fun's own inner calls.
 */
function decodeMultiHop(invocation: Invocation): readonly (PoolTrade | Refused)[] {
  const { user, firstHop, accountsPerHop } = MULTI_HOP
  const hops: TradeAccounts[] = []
  for (let at = firstHop; at + accountsPerHop <= invocation.accountCount; at += accountsPerHop) {
    hops.push({
      user,
      pool: at + MULTI_HOP.pool,
      baseMint: at + MULTI_HOP.baseMint,
      quoteMint: at + MULTI_HOP.quoteMint,
      baseVault: at + MULTI_HOP.baseVault,
      quoteVault: at + MULTI_HOP.quoteVault,
    })
  }
  const fills = invocation.events(TRADE_EVENTS).map(({ kind, body, at }) => {
    const isBuy = kind === 'buy'
    return { event: readTradeEvent(body, isBuy), body, isBuy, at }
  })
  // Without any inner call nothing can prove a hop.
  if (fills.length === 0 && invocation.end === invocation.at + 1) throw new Refused('missing_event')
  return fills.map((fill) => {
    const { pool } = fill.event
    const accounts = hops.find((hop) => isSameKey(pool, invocation.key(hop.pool)))
    if (accounts === undefined) return new Refused('missing_event')
    const isOnly = fills.filter(({ event }) => isSameKey(pool, event.pool)).length === 1
    return orRefused(() => createTrade(invocation, accounts, { ...fill, isOnly }))
  })
}

/** A trade of one pool; `isOnly` when nothing else in the instruction moved its vaults. */
type Fill = Readonly<{
  event: TradeEvent
  /** The event's body, for rarely needed fields. */
  body: Uint8Array
  isBuy: boolean
  isOnly: boolean
  at: Position
}>

function createTrade(
  invocation: Invocation,
  { pool, user, baseMint, quoteMint, baseVault, quoteVault }: TradeAccounts,
  fill: Fill,
): PoolTrade {
  const { event, isBuy, isOnly, at } = fill
  const stated = isBuy ? -event.baseAmount : event.baseAmount
  const base = isOnly ? movedBy(invocation, baseVault, stated) : stated
  if (base !== 0n && base > 0n === isBuy) throw new Refused('contradicted')
  const quote = quoteOf(invocation, quoteVault, fill)
  const quoteReserve = quoteReserveAfter(event, quote)
  return {
    kind: 'trade',
    pool: invocation.address(pool),
    wallet: invocation.wallet(user),
    base: createSide(invocation, baseMint, baseVault, base, event.baseReserveBefore + base),
    quote: createSide(invocation, quoteMint, quoteVault, quote, quoteReserve),
    givesBase: isBuy,
    at,
  }
}

/**
 * Returns what the pool's quote reserves took in (positive) or gave out (negative). If a Token-2022 fee separates what
 * was sent from what the vault got, the vault decides, less the fees waiting in it.
 */
function quoteOf(invocation: Invocation, vaultPlace: number, { event, body, isBuy, isOnly }: Fill): bigint {
  const stated = isBuy ? event.quoteAmount : -event.quoteAmount
  if (!isOnly) return stated
  const { flow, hasFee } = invocation.vaultFlowAndFee(invocation.account(vaultPlace))
  if (flow === null || !hasFee) {
    holdAgainstVault(stated, flow)
    return stated
  }
  const traded = flow - readKeptFees(body, isBuy)
  if (traded > 0n !== isBuy) throw new Refused('contradicted')
  return traded
}

function decodeBoost(invocation: Invocation): PoolTrade {
  const event = readBoostEvent(invocation.eventOrRefuse(BOOST_EVENT))
  invocation.assertNames(BOOST_ACCOUNTS.pool, event.pool)

  const { baseMint, baseVault, quoteMint, quoteVault } = BOOST_ACCOUNTS
  const base = movedBy(invocation, baseVault, -event.baseAmount)
  const quote = movedBy(invocation, quoteVault, event.quoteAmount)
  if (base > 0n || quote < 0n) throw new Refused('contradicted')
  const quoteReserve = event.quoteReserve + event.virtualQuoteReserve
  return {
    kind: 'trade',
    pool: invocation.address(BOOST_ACCOUNTS.pool),
    wallet: invocation.wallet(BOOST_ACCOUNTS.authority),
    base: createSide(invocation, baseMint, baseVault, base, event.baseReserve),
    quote: createSide(invocation, quoteMint, quoteVault, quote, quoteReserve),
    givesBase: true,
  }
}

function decodeCreatePool(invocation: Invocation): PoolCreation {
  const event = readCreatePoolEvent(invocation.eventOrRefuse(CREATE_POOL_EVENT))
  invocation.assertNames(CREATE.pool, event.pool)
  const migration = ofMayhem(readMigration(invocation), event.isMayhem)
  return createPool(invocation, CREATE, {
    base: { amount: event.poolBaseAmount, decimals: event.baseDecimals },
    quote: { amount: event.poolQuoteAmount, decimals: event.quoteDecimals },
    migration,
    creator: creatorOf(event, migration !== null),
  })
}

/** Returns the vault's inflow (positive) or outflow (negative) by transfers, or `stated` if the record has none. */
function movedBy(invocation: Invocation, vaultPlace: number, stated: bigint): bigint {
  return invocation.vaultFlow(invocation.account(vaultPlace)) ?? stated
}

/** A negative reserve would be a misread event: the vault's balance replaces it. */
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
