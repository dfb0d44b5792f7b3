import { holdsAt } from '../../bytes/discriminator.ts'
import { isSameKey } from '../../bytes/key-table.ts'
import type { PoolCreation, PoolTrade } from '../../decoder.ts'
import type { KnownAccounts, LogDecoder, LoggedCall } from '../../logs/log-decoder.ts'
import { Refused } from '../../refused.ts'
import { addressOf } from '../../transaction/call-tree.ts'
import { curveKey } from './curve-key.ts'
import {
  COIN_DECIMALS,
  CREATE_EVENT,
  coinOf,
  launchpadOf,
  madeBy,
  POST_COMPLETE_BUY_EVENT,
  type PostCompleteBuyEvent,
  PROGRAM_ID,
  quoteMintOf,
  readCreateEvent,
  readPostCompleteBuyEvent,
  readToldTrade,
  readTradeEvent,
  readTradeOrigin,
  TRADE_EVENT,
  TRADE_EVENTS,
} from './layout.ts'

/** pump.fun's curve from its logs, which have everything except its address, derived from the coin's mint. */
export const pumpfunLogs: LogDecoder = {
  exchange: 'pumpfun',
  programId: PROGRAM_ID,
  gives: ['newPair', 'swap'],
  decode(call, at, known) {
    const data = call.events[at]!
    if (holdsAt(data, CREATE_EVENT, 0)) return decodeCreate(data.subarray(8), known)
    switch (TRADE_EVENTS.get(data)) {
      case 'trade':
        return decodeTrade(call, at, known)
      case 'post_complete_buy': {
        // It belongs to the trade before it.
        const { mint } = readPostCompleteBuyEvent(data.subarray(8))
        if (!call.events.slice(0, at).some((before) => isBuyOf(before, mint)))
          throw new Refused('missing_event')
        return undefined
      }
      default:
        return undefined
    }
  },
}

function decodeTrade(call: LoggedCall, at: number, known: KnownAccounts): PoolTrade {
  const body = call.events[at]!.subarray(8)
  const event = readTradeEvent(body)
  const { user, timestamp } = readTradeOrigin(body)
  const beyond = event.isBuy ? readBeyond(call, at, event.mint) : null
  // A buy that completes its curve may continue, which truncated logs would hide.
  const completes = event.isBuy && event.realTokenReserves === 0n
  if (completes && beyond === null && !call.hasEnded) throw new Refused('truncated_logs')
  const { quoteMint, tokenAmount, quoteAmount, quoteReserve, curve } = readToldTrade(event, beyond)
  known.tellTime(timestamp)
  const mint = addressOf(event.mint)
  known.learn(mint, COIN)
  return {
    kind: 'trade',
    pool: known.derive(event.mint, curveKey),
    wallet: known.wallet(user),
    base: { mint, amount: tokenAmount, decimals: COIN_DECIMALS, reserve: event.realTokenReserves },
    quote: { mint: quoteMint, amount: quoteAmount, reserve: quoteReserve },
    givesBase: event.isBuy,
    launchpad: launchpadOf(event.isMayhem),
    curve,
  }
}

/** Reads what a completing buy took from the future pool, logged before the coin's next trade. */
function readBeyond(call: LoggedCall, at: number, mint: Uint8Array): PostCompleteBuyEvent | null {
  for (const data of call.events.slice(at + 1)) {
    if (holdsAt(data, TRADE_EVENT, 0) && isSameKey(readTradeEvent(data.subarray(8)).mint, mint)) return null
    if (!holdsAt(data, POST_COMPLETE_BUY_EVENT, 0)) continue
    const beyond = readPostCompleteBuyEvent(data.subarray(8))
    if (isSameKey(beyond.mint, mint)) return beyond
  }
  return null
}

function isBuyOf(data: Uint8Array, mint: Uint8Array): boolean {
  if (!holdsAt(data, TRADE_EVENT, 0)) return false
  const event = readTradeEvent(data.subarray(8))
  return event.isBuy && isSameKey(event.mint, mint)
}

function decodeCreate(body: Uint8Array, known: KnownAccounts): PoolCreation {
  const event = readCreateEvent(body)
  const { curve, totalSupply, isMayhem, quoteMint, timestamp } = event
  if (timestamp !== null) known.tellTime(timestamp)
  const mint = addressOf(event.mint)
  known.learn(mint, COIN)
  // The program's agent holds part of such a coin, which the event does not report.
  if (totalSupply === null || isMayhem) throw new Refused('unknown_amount')
  return {
    kind: 'creation',
    pool: addressOf(curve),
    base: { ...coinOf(event), mint, amount: totalSupply },
    quote: { mint: quoteMintOf(quoteMint), amount: 0n },
    launchpad: launchpadOf(isMayhem),
    ...madeBy(event),
  }
}

const COIN = { decimals: COIN_DECIMALS, hasTransferFee: false }
