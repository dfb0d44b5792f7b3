import { isSameKey } from '../../bytes/key-table.ts'
import type { Decoder, PoolCreation, PoolTrade } from '../../decoder.ts'
import { orRefused, Refused } from '../../refused.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import { holdAgainstVault } from '../../transaction/vault-flow.ts'
import type { Position } from '../../transaction.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { createPool } from '../creation.ts'
import {
  COIN_DECIMALS,
  CREATE,
  CREATE_EVENT,
  coinOf,
  INSTRUCTIONS,
  launchpadOf,
  MULTI_HOP,
  madeBy,
  POST_COMPLETE_BUY_EVENT,
  type PostCompleteBuyEvent,
  PROGRAM_ID,
  quoteMintOf,
  readCreateEvent,
  readPostCompleteBuyEvent,
  readToldTrade,
  readTradeEvent,
  TRADE,
  TRADE_EVENT,
  TRADE_EVENTS,
  TRADE_V2,
  TRADE_V3,
  type TradeAccounts,
  type TradeEvent,
} from './layout.ts'

/**
 * pump.fun's bonding curve. The coin's amount is its vault's transfer, the quote's the event's, which excludes fees and
 * so is the curve's own side even if fees wait in it; arguments of trades are limits, not fills. A buy that completes
 * its curve may continue with tokens of the future pool: it is one trade, summed. A migration has no event here: it is
 * the `migration` of the pool that it creates.
 */
export const pumpfun: Decoder = createAnchorDecoder('pumpfun', [PROGRAM_ID], INSTRUCTIONS, {
  trade: (invocation) => decodeTrade(invocation, TRADE),
  tradeV2: (invocation) => decodeTrade(invocation, TRADE_V2),
  tradeV3: (invocation) => decodeTrade(invocation, TRADE_V3),
  multiHop: decodeMultiHop,
  create: decodeCreate,
})

function decodeTrade(invocation: Invocation, accounts: TradeAccounts): PoolTrade {
  const event = readTradeEvent(invocation.eventOrRefuse(TRADE_EVENT))
  invocation.assertNames(accounts.mint, event.mint)
  const completes = event.isBuy && event.realTokenReserves === 0n
  const more = completes ? invocation.event(POST_COMPLETE_BUY_EVENT) : undefined
  const beyond = more === undefined ? null : readPostCompleteBuyEvent(more)
  if (beyond !== null && !isSameKey(beyond.mint, event.mint)) throw new Refused('missing_event')
  return createTrade(invocation, accounts, { event, at: invocation.at, beyond })
}

/** Decodes one trade for each curve of the route; the mint tells which accounts a trade used. */
function decodeMultiHop(invocation: Invocation): readonly (PoolTrade | Refused)[] {
  const { user, firstCurve, accountsPerCurve } = MULTI_HOP
  const curves: TradeAccounts[] = []
  for (let at = firstCurve; at + accountsPerCurve <= invocation.accountCount; at += accountsPerCurve) {
    curves.push({
      user,
      mint: at + MULTI_HOP.mint,
      curve: at + MULTI_HOP.curve,
      baseVault: at + MULTI_HOP.baseVault,
      quoteVault: at + MULTI_HOP.quoteVault,
    })
  }
  const fills = readFills(invocation)
  const trades = fills.map((fill) => {
    const accounts = curves.find(({ mint }) => isSameKey(fill.event.mint, invocation.key(mint)))
    if (accounts === undefined) return new Refused('missing_event')
    return orRefused(() => createTrade(invocation, accounts, fill))
  })
  return fills.length < curves.length ? [...trades, new Refused('missing_event')] : trades
}

/** A trade on one curve, and a completing buy's trade with the future pool. */
type Fill = { readonly event: TradeEvent; readonly at: Position; beyond: PostCompleteBuyEvent | null }

/** Reads the fills of a route in order. */
function readFills(invocation: Invocation): readonly Fill[] {
  const fills: Fill[] = []
  for (const { kind, body, at } of invocation.events(TRADE_EVENTS)) {
    if (kind === 'trade') {
      fills.push({ event: readTradeEvent(body), at, beyond: null })
      continue
    }
    const beyond = readPostCompleteBuyEvent(body)
    const fill = fills.findLast(({ event }) => event.isBuy && isSameKey(event.mint, beyond.mint))
    if (fill === undefined || fill.beyond !== null) throw new Refused('missing_event')
    fill.beyond = beyond
  }
  return fills
}

function createTrade(
  invocation: Invocation,
  accounts: TradeAccounts,
  { event, at, beyond }: Fill,
): PoolTrade {
  const { quoteMint, isSol, tokenAmount, quoteAmount, quoteReserve, curve } = readToldTrade(event, beyond)
  const baseVault = invocation.account(accounts.baseVault)
  const stated = event.isBuy ? -tokenAmount : tokenAmount
  const flow = invocation.vaultFlow(baseVault)
  holdAgainstVault(stated, flow)
  const base = flow ?? stated
  // SOL moves as lamports: the token account named for it holds nothing of the curve.
  const isVault = accounts.quoteVault !== null && !isSol
  const quoteVault = isVault ? invocation.account(accounts.quoteVault) : null
  if (quoteVault !== null) {
    holdAgainstVault(event.isBuy ? quoteAmount : -quoteAmount, invocation.vaultFlow(quoteVault))
  }
  return {
    kind: 'trade',
    pool: invocation.address(accounts.curve),
    wallet: invocation.wallet(accounts.user),
    base: {
      mint: invocation.address(accounts.mint),
      amount: event.isBuy ? -base : base,
      decimals: COIN_DECIMALS,
      reserve: event.realTokenReserves,
      vault: baseVault,
    },
    quote: { mint: quoteMint, amount: quoteAmount, reserve: quoteReserve, vault: quoteVault },
    givesBase: event.isBuy,
    launchpad: launchpadOf(event.isMayhem),
    curve,
    at,
  }
}

function decodeCreate(invocation: Invocation): PoolCreation {
  const event = readCreateEvent(invocation.eventOrRefuse(CREATE_EVENT))
  invocation.assertNames(CREATE.base.mint, event.mint)
  invocation.assertNames(CREATE.pool, event.curve)
  const creation = createPool(invocation, CREATE, {
    base: coinOf(event),
    launchpad: launchpadOf(event.isMayhem),
  })
  return { ...creation, ...madeBy(event), quote: { mint: quoteMintOf(event.quoteMint), amount: 0n } }
}
