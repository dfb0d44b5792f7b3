import { WRAPPED_SOL } from '@pairwire/contract'
import { addressOf } from '../call-tree.ts'
import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { isSameKey } from '../key-table.ts'
import { Refused } from '../refused.ts'
import {
  COIN_DECIMALS,
  CREATE_EVENT,
  INSTRUCTIONS,
  PROGRAM_ID,
  type PumpfunInstruction,
  readCreateEvent,
  readTradeEvent,
  TRADE_EVENT,
} from './layout.ts'

/**
 * pump.fun's bonding curve. Amounts are the events', which leave fees out and so are the curve's own side;
 * arguments of trades are limits, not fills. A migration gives no event here: it shows as the `migration` of the
 * pool that it makes.
 */
export const pumpfun: Decoder = {
  exchange: 'pumpfun',
  programIds: [PROGRAM_ID],
  decode(invocation) {
    const instruction = INSTRUCTIONS.get(invocation.data)
    switch (instruction?.kind) {
      case undefined:
        throw new Refused(invocation.data.length < 8 ? 'truncated' : 'unknown_instruction')
      case 'trade':
        return decodeTrade(invocation, instruction)
      case 'create':
        return decodeCreate(invocation, instruction)
      default:
        return undefined
    }
  },
}

function decodeTrade(
  invocation: Invocation,
  { accounts }: Extract<PumpfunInstruction, { kind: 'trade' }>,
): PoolTrade {
  const pool = invocation.address(accounts.curve)
  const wallet = invocation.wallet(accounts.user)
  const body = invocation.event(TRADE_EVENT)
  if (body === undefined) throw new Refused('missing_event')
  const event = readTradeEvent(body)
  if (!isSameKey(event.mint, invocation.key(accounts.mint))) throw new Refused('missing_event')

  // Where SOL is the quote both fields say the same; for other quotes the SOL fields are zero.
  const quoteMint = event.quote === null ? WRAPPED_SOL : quoteMintOf(event.quote.mint)
  const isSol = event.quote === null || (quoteMint === WRAPPED_SOL && event.solAmount > 0n)
  return {
    kind: 'trade',
    pool,
    wallet,
    base: {
      mint: invocation.address(accounts.mint),
      amount: event.tokenAmount,
      decimals: COIN_DECIMALS,
      reserve: event.realTokenReserves,
      vault: null,
    },
    quote: {
      mint: quoteMint,
      amount: isSol ? event.solAmount : event.quote!.amount,
      decimals: null,
      reserve: isSol ? event.realSolReserves : event.quote!.realReserves,
      vault: accounts.quoteVault === null ? null : invocation.account(accounts.quoteVault),
    },
    givesBase: event.isBuy,
    launchpad: 'pumpfun',
  }
}

function decodeCreate(
  invocation: Invocation,
  { mint, curve, curveVault }: Extract<PumpfunInstruction, { kind: 'create' }>,
): PoolCreation {
  const body = invocation.event(CREATE_EVENT)
  if (body === undefined) throw new Refused('missing_event')
  const event = readCreateEvent(body)
  if (!isSameKey(event.mint, invocation.key(mint)) || !isSameKey(event.curve, invocation.key(curve))) {
    throw new Refused('missing_event')
  }

  const held = invocation.vaultFlow(invocation.account(curveVault)) ?? event.totalSupply
  if (held === null) throw new Refused('missing_event')
  return {
    kind: 'creation',
    pool: invocation.address(curve),
    base: {
      mint: invocation.address(mint),
      amount: held,
      decimals: COIN_DECIMALS,
      name: event.name,
      symbol: event.symbol,
      uri: event.uri,
      ...(event.totalSupply === null ? {} : { supply: event.totalSupply }),
    },
    quote: {
      mint: event.quoteMint === null ? WRAPPED_SOL : quoteMintOf(event.quoteMint),
      amount: 0n,
      decimals: null,
    },
    migration: null,
    launchpad: 'pumpfun',
  }
}

/** The default address stands for SOL. */
function quoteMintOf(key: Uint8Array): string {
  return key.every((byte) => byte === 0) ? WRAPPED_SOL : addressOf(key)
}
